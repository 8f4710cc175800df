package rawdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var errOutOfBounds = errors.New("out of bounds")

const indexEntrySize = 8

// indexEntry says where an item ends.
type indexEntry struct {
	filenum uint32
	offset  uint32
}

// freezerTable stores items in data files, with an index that has an entry more
// than there are items. Only one goroutine appends.
type freezerTable struct {
	path        string
	maxFileSize uint32

	items     atomic.Uint64 // number of items
	headId    atomic.Uint32 // number of the head file
	headBytes atomic.Uint32 // number of bytes written to the head file

	lock  sync.RWMutex // protects the files; truncate holds it for writing
	head  *os.File
	files map[uint32]*os.File
	index *os.File
}

func newTable(path string, maxFileSize uint32) (*freezerTable, error) {
	index, err := os.Create(filepath.Join(path, "index"))
	if err != nil {
		return nil, err
	}
	t := &freezerTable{path: path, maxFileSize: maxFileSize, files: make(map[uint32]*os.File), index: index}
	if err := t.writeIndex(0, indexEntry{}); err != nil {
		return nil, err
	}
	t.head, err = t.openFile(0)
	return t, err
}

// openFile assumes that the write lock is held by the caller.
func (t *freezerTable) openFile(num uint32) (*os.File, error) {
	if f, ok := t.files[num]; ok {
		return f, f.Truncate(0)
	}
	f, err := os.Create(filepath.Join(t.path, fmt.Sprintf("%04d.dat", num)))
	if err == nil {
		t.files[num] = f
	}
	return f, err
}

func (t *freezerTable) writeIndex(i uint64, e indexEntry) error {
	b := binary.BigEndian.AppendUint32(nil, e.filenum)
	b = binary.BigEndian.AppendUint32(b, e.offset)
	_, err := t.index.WriteAt(b, int64(i*indexEntrySize))
	return err
}

func (t *freezerTable) readIndex(i uint64) (e indexEntry, err error) {
	var b [indexEntrySize]byte
	_, err = t.index.ReadAt(b[:], int64(i*indexEntrySize))
	e.filenum = binary.BigEndian.Uint32(b[:4])
	e.offset = binary.BigEndian.Uint32(b[4:])
	return e, err
}

// truncate discards the items from the given number on.
func (t *freezerTable) truncate(items uint64) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.items.Load() <= items {
		return nil
	}
	e, err := t.readIndex(items)
	if err != nil {
		return err
	}
	// We might need to go back to an older file
	t.head = t.files[e.filenum]
	t.headId.Store(e.filenum)
	t.headBytes.Store(e.offset)
	t.items.Store(items)
	return t.head.Truncate(int64(e.offset))
}

// Append adds an item. The number must be the next one.
func (t *freezerTable) Append(item uint64, blob []byte) error {
	// Read lock prevents competition with truncate
	retry, err := t.append(item, blob, false)
	if err == nil && retry {
		// Read lock was insufficient, retry with a write lock
		_, err = t.append(item, blob, true)
	}
	return err
}

// append returns true when it needs a new file but has no write lock, and did
// nothing.
func (t *freezerTable) append(item uint64, blob []byte, wlock bool) (bool, error) {
	if wlock {
		t.lock.Lock()
		defer t.lock.Unlock()
	} else {
		t.lock.RLock()
		defer t.lock.RUnlock()
	}
	// Ensure only the next item can be written, nothing else
	if t.items.Load() != item {
		return false, fmt.Errorf("appending unexpected item: want %d, have %d", t.items.Load(), item)
	}
	bLen := uint32(len(blob))
	if t.headBytes.Load()+bLen > t.maxFileSize {
		// we need a new file, writing would overflow
		if !wlock {
			return true, nil
		}
		nextID := t.headId.Load() + 1
		newHead, err := t.openFile(nextID)
		if err != nil {
			return false, err
		}
		t.head = newHead
		t.headBytes.Store(0)
		t.headId.Store(nextID)
	}
	if _, err := t.head.WriteAt(blob, int64(t.headBytes.Load())); err != nil {
		return false, err
	}
	e := indexEntry{filenum: t.headId.Load(), offset: t.headBytes.Add(bLen)}
	if err := t.writeIndex(item+1, e); err != nil {
		return false, err
	}
	t.items.Add(1)
	return false, nil
}

// Retrieve returns an item.
func (t *freezerTable) Retrieve(item uint64) ([]byte, error) {
	t.lock.RLock()
	defer t.lock.RUnlock()
	if t.items.Load() <= item {
		return nil, errOutOfBounds
	}
	start, err := t.readIndex(item)
	if err != nil {
		return nil, err
	}
	end, err := t.readIndex(item + 1)
	if err != nil {
		return nil, err
	}
	if start.filenum != end.filenum {
		start.offset = 0
	}
	blob := make([]byte, end.offset-start.offset)
	_, err = t.files[end.filenum].ReadAt(blob, int64(start.offset))
	return blob, err
}
