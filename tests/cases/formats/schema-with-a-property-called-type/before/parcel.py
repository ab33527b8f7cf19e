class Parcel:
    kind: str
    role: str
