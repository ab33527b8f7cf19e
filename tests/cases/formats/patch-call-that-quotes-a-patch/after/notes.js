// How a program hands over a patch:
await tools.apply_patch("*** Begin Patch\n*** Delete File: old.py\n*** End Patch");
