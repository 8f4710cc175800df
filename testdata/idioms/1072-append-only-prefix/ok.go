// Package journal lists the files of a running backup in the order in which
// they were stored. The list only grows.
package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

const chunk = 256

// ErrCorrupt is returned for a checkpoint whose totals do not fit.
var ErrCorrupt = errors.New("journal: corrupt checkpoint")

// Entry is a stored file.
type Entry struct {
	Path string
	Size uint64
	end  uint64 // total size up to and with this entry
}

// Journal is filled by the upload workers.
type Journal struct {
	mu      sync.RWMutex
	entries []Entry
}

// Add appends a file.
func (j *Journal) Add(path string, size uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var total uint64
	if n := len(j.entries); n > 0 {
		total = j.entries[n-1].end
	}
	j.entries = append(j.entries, Entry{Path: path, Size: size, end: total + size})
}

// Len returns the number of files.
func (j *Journal) Len() int {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return len(j.entries)
}

// Total returns the size of the first n files.
func (j *Journal) Total(n int) uint64 {
	if n == 0 {
		return 0
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.entries[n-1].end
}

func (j *Journal) page(from, to int) []Entry {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return append([]Entry(nil), j.entries[from:to]...)
}

// Checkpoint writes what has been stored so far. Workers are not held up for
// longer than it takes to copy a page.
func (j *Journal) Checkpoint(w io.Writer) (files int, err error) {
	n := j.Len()
	bw := bufio.NewWriter(w)
	var buf []byte
	buf = binary.AppendUvarint(buf, uint64(n))
	buf = binary.AppendUvarint(buf, j.Total(n))
	if _, err := bw.Write(buf); err != nil {
		return 0, err
	}
	for from := 0; from < n; from += chunk {
		for _, e := range j.page(from, min(from+chunk, n)) {
			buf = binary.AppendUvarint(buf[:0], uint64(len(e.Path)))
			buf = append(buf, e.Path...)
			buf = binary.AppendUvarint(buf, e.Size)
			if _, err := bw.Write(buf); err != nil {
				return 0, err
			}
		}
	}
	return n, bw.Flush()
}

// Load reads a checkpoint.
func Load(r io.Reader) (*Journal, error) {
	br := bufio.NewReader(r)
	n, err := binary.ReadUvarint(br)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	total, err := binary.ReadUvarint(br)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{}
	for range n {
		l, err := binary.ReadUvarint(br)
		if err != nil || l > 1<<16 {
			return nil, ErrCorrupt
		}
		path := make([]byte, l)
		if _, err := io.ReadFull(br, path); err != nil {
			return nil, ErrCorrupt
		}
		size, err := binary.ReadUvarint(br)
		if err != nil {
			return nil, ErrCorrupt
		}
		j.Add(string(path), size)
	}
	if j.Total(j.Len()) != total {
		return nil, ErrCorrupt
	}
	return j, nil
}
