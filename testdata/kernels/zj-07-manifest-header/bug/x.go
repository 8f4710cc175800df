// Package snapshot keeps the index of a running backup and writes it as a
// manifest. Checkpoints are written while the scanners still add files, so an
// interrupted backup can be resumed from the last one.
package snapshot

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"
	"time"
)

// ErrCorrupt is returned for a manifest whose header does not fit its body.
var ErrCorrupt = errors.New("snapshot: corrupt manifest")

// Entry is a file in the backup.
type Entry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

// Header comes first in a manifest.
type Header struct {
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	Written time.Time `json:"written"`
}

// Index is filled by the scanners.
type Index struct {
	mu      sync.RWMutex
	entries map[string]Entry
	bytes   int64
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{entries: make(map[string]Entry)}
}

// Put adds a file, or replaces it if it was scanned again.
func (x *Index) Put(e Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bytes += e.Size - x.entries[e.Path].Size
	x.entries[e.Path] = e
}

// Len returns the number of files.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.entries)
}

// Bytes returns the total size of the files.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.bytes
}

// Entries returns the files in the order of their paths.
func (x *Index) Entries() []Entry {
	x.mu.RLock()
	out := make([]Entry, 0, len(x.entries))
	for _, e := range x.entries {
		out = append(out, e)
	}
	x.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

// WriteManifest writes the header and one line per file.
func (x *Index) WriteManifest(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	h := Header{Files: x.Len(), Bytes: x.Bytes(), Written: time.Now().UTC()}
	if err := enc.Encode(h); err != nil {
		return err
	}
	for _, e := range x.Entries() {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// ReadManifest reads a manifest back for a resume or a restore.
func ReadManifest(r io.Reader) (*Index, error) {
	dec := json.NewDecoder(r)
	var h Header
	if err := dec.Decode(&h); err != nil {
		return nil, fmt.Errorf("snapshot: header: %w", err)
	}
	x := NewIndex()
	for dec.More() {
		var e Entry
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("snapshot: entry: %w", err)
		}
		x.Put(e)
	}
	if len(x.entries) != h.Files || x.bytes != h.Bytes {
		return nil, ErrCorrupt
	}
	return x, nil
}

// Checkpoint writes a manifest every interval to what open returns.
func (x *Index) Checkpoint(ctx context.Context, every time.Duration, open func() (io.WriteCloser, error)) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		f, err := open()
		if err != nil {
			return err
		}
		if err := errors.Join(x.WriteManifest(f), f.Close()); err != nil {
			return err
		}
	}
}
