class Parcel:
    type: str
    role: str
