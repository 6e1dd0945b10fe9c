"""Files to documents, one reader per format."""

from lexicloud.text.readers.document import Document, labels_from_names
from lexicloud.text.readers.read import read_documents

__all__ = ["Document", "labels_from_names", "read_documents"]
