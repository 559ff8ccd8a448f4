"""How large the pages of a parquet file are when unpacked: the file's footer may say anything.

pyarrow unpacks each page into as many bytes as the page's own header says, and refuses one that has
more. The headers are written in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

MOST_PAGES, HEADER_BYTES = 250_000, 2**16
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_INTEGERS, _LISTS = (4, 5, 6), (9, 10)
# Fields of a page's header.
_UNPACKED, _PACKED = 2, 3


def unpacked_bytes(file: BinaryIO, footer: Any) -> Iterator[int]:
    """Yield the size of each page of a file with pyarrow's `footer` when it is unpacked."""
    count = 0
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            starts = (column.data_page_offset, column.dictionary_page_offset)
            at = min(start for start in starts if start)
            end = at + column.total_compressed_size
            while at < end:
                file.seek(at)
                header = _Header(file.read(HEADER_BYTES))
                fields = header.integers()
                unpacked, packed = fields.get(_UNPACKED, -1), fields.get(_PACKED, -1)
                if (count := count + 1) > MOST_PAGES or min(unpacked, packed) < 0:
                    raise ValueError("its pages are not to be counted")
                yield unpacked
                at += header.at + packed


class _Header:
    """The beginning of a page, read up to `at`."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def integers(self) -> dict[int, int]:
        """Read a struct and return its integers by the number of their field."""
        found: dict[int, int] = {}
        number = 0
        while (head := self._byte()) & 15 != _STOP:
            number = number + (head >> 4) if head >> 4 else self._integer()
            if head & 15 in _INTEGERS:
                found[number] = self._integer()
            else:
                self._skip(head & 15)
        return found

    def _skip(self, kind: int) -> None:
        if self.at > len(self.content):
            raise ValueError("a page's header does not end")
        if kind == _STRUCT:
            self.integers()
        elif kind == _BINARY:
            length = self._varint()
            self.at += length
        elif kind in _INTEGERS:
            self._varint()
        elif kind in _LISTS:
            head = self._byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self._varint()):
                # In a list these have a byte of their own.
                self._skip(_BYTE if head & 15 in (_TRUE, _FALSE) else head & 15)
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("a page's header is damaged")

    def _byte(self) -> int:
        if self.at >= len(self.content):
            raise ValueError("a page's header does not end")
        self.at += 1
        return self.content[self.at - 1]

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number, shift = number | (byte & 127) << shift, shift + 7
            if shift > 63:
                raise ValueError("a page's header is damaged")
        return number | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)
