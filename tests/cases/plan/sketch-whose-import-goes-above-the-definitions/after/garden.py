import json
import logging


def load(path):
    return json.loads(path.read_text())


import shutil


def save(path, data):
    logging.info(path)
    path.write_text(json.dumps(data))


def drop(path):
    shutil.rmtree(path)
