"""A conversation with a model: its turns, the rounds of a turn, what is said in them, and how it is saved.

`conversation` has the loop. `rounds` takes the replies of one turn together, `turn_edits` keeps the user's choices,
`turn_messages` says what the model is sent, `repair` what to ask again. `chat_record` is the conversation on disk,
`saved_chat` goes on with one, `recording` replays one without a model.
"""
