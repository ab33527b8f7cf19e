ASK = """
<document>
{text}
</document>
"""
