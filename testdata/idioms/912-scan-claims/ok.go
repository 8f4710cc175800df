// Package archive computes the checksums of the files of a film archive with
// a number of workers. Files that change while they are being read are read
// again.
package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

type state int

const (
	pending state = iota // waits for a worker
	claimed              // a worker is reading it
	hashed               // sum is valid
	failed               // err is valid
)

// entry is what is known of a file. It is guarded by the Index's lock. Only
// the worker that has claimed an entry may take it out of claimed.
type entry struct {
	state state
	stale bool // changed while claimed
	sum   string
	err   error
}

// Index holds the checksums. It is safe for concurrent use.
type Index struct {
	mu    sync.Mutex
	files map[string]*entry
	queue []string      // the pending files, each once
	more  chan struct{} // has a token when the queue may not be empty
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{files: make(map[string]*entry), more: make(chan struct{}, 1)}
}

// Changed tells that a file is new or has other contents than before. The
// file system watcher calls it.
func (x *Index) Changed(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e, ok := x.files[path]
	if !ok {
		e = &entry{}
		x.files[path] = e
		x.enqueue(path, e)
		return
	}
	switch e.state {
	case pending:
	case claimed:
		e.stale = true
	default:
		x.enqueue(path, e)
	}
}

// enqueue makes an entry pending. The caller holds x.mu.
func (x *Index) enqueue(path string, e *entry) {
	e.state, e.sum, e.err, e.stale = pending, "", nil, false
	x.queue = append(x.queue, path)
	x.signal()
}

func (x *Index) signal() {
	select {
	case x.more <- struct{}{}:
	default:
	}
}

// claim takes the next pending file for the caller alone.
func (x *Index) claim() (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.queue) == 0 {
		return "", false
	}
	path := x.queue[0]
	x.queue = x.queue[1:]
	x.files[path].state = claimed
	if len(x.queue) > 0 {
		x.signal()
	}
	return path, true
}

// settle ends the claim on a file with the outcome of reading it.
func (x *Index) settle(path, sum string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.files[path]
	switch {
	case e.stale:
		x.enqueue(path, e)
	case err != nil:
		e.state, e.err = failed, err
	default:
		e.state, e.sum = hashed, sum
	}
}

// Work reads files until ctx ends. Any number of workers may run.
func (x *Index) Work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.more:
		}
		for ctx.Err() == nil {
			path, ok := x.claim()
			if !ok {
				break
			}
			sum, err := checksum(path)
			x.settle(path, sum, err)
		}
		if ctx.Err() != nil {
			x.signal() // the token may be meant for the workers that go on
			return
		}
	}
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Sum returns the checksum of a file; ok is false while it is not known.
func (x *Index) Sum(path string) (sum string, ok bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.files[path]
	if e == nil {
		return "", false, nil
	}
	switch e.state {
	case hashed:
		return e.sum, true, nil
	case failed:
		return "", false, e.err
	}
	return "", false, nil
}
