"""A conversation with a model: its turns, the rounds of a turn, their messages, and how it is saved.

`conversation` has the loop. `rounds` joins the replies of one turn, `turn_edits` keeps the user's choices,
`turn_messages` makes the messages to the model, `repair` those about failed edits. `chat_record` is the conversation on
disk, `saved_chat` continues one, `recording` replays one without a model.
"""
