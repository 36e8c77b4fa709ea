"""Print the books of a catalogue that are all lent out."""

import csv
import sys


def all_lent(path):
    with open(path, newline="", encoding="utf-8") as file:
        for book in csv.DictReader(file):
            if int(book["lent"]) >= int(book["copies"]):
                yield book["shelfmark"], book["title"]


if __name__ == "__main__":
    for mark, title in all_lent(sys.argv[1]):
        print(f"{mark:8} {title}")
