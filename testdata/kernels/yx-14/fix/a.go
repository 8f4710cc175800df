package a

import (
	"bytes"
	"context"
	"errors"
	"sync"
)

var (
	ErrBadPart  = errors.New("part number out of range")
	ErrFinished = errors.New("upload is finished")
	ErrNoUpload = errors.New("no such upload")
)

type upload struct {
	total int
	done  chan struct{}

	mu       sync.Mutex
	parts    map[int][]byte
	finished bool
	file     []byte
}

// store reports whether the part completed the upload; that is said once.
func (u *upload) store(n int, data []byte) (last bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.finished {
		return false, ErrFinished
	}
	u.parts[n] = bytes.Clone(data)
	u.finished = len(u.parts) == u.total
	return u.finished, nil
}

func (u *upload) finish() {
	u.mu.Lock()
	defer u.mu.Unlock()
	var buf bytes.Buffer
	for n := range u.total {
		buf.Write(u.parts[n])
	}
	u.file = buf.Bytes()
	close(u.done)
}

// Assembler puts files together whose parts arrive in parallel requests.
type Assembler struct {
	mu      sync.RWMutex
	uploads map[string]*upload
}

func NewAssembler() *Assembler {
	return &Assembler{uploads: make(map[string]*upload)}
}

// Begin announces a file of the given number of parts.
func (a *Assembler) Begin(id string, parts int) error {
	if parts < 1 {
		return ErrBadPart
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.uploads[id] == nil {
		a.uploads[id] = &upload{total: parts, done: make(chan struct{}), parts: make(map[int][]byte, parts)}
	}
	return nil
}

func (a *Assembler) find(id string) (*upload, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if u := a.uploads[id]; u != nil {
		return u, nil
	}
	return nil, ErrNoUpload
}

// AddPart stores one part; the last one completes the file.
func (a *Assembler) AddPart(id string, n int, data []byte) error {
	u, err := a.find(id)
	if err != nil {
		return err
	}
	if n < 0 || n >= u.total {
		return ErrBadPart
	}
	last, err := u.store(n, data)
	if err != nil {
		return err
	}
	if last {
		u.finish()
	}
	return nil
}

// Wait returns the assembled file.
func (a *Assembler) Wait(ctx context.Context, id string) ([]byte, error) {
	u, err := a.find(id)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-u.done:
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.file, nil
}
