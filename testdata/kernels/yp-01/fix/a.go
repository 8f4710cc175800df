package a

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

var (
	ErrUnknownUpload = errors.New("upload: unknown id")
	ErrBadChunk      = errors.New("upload: chunk index out of range")
)

// BlobStore keeps assembled files. Every Put creates a new revision.
type BlobStore interface {
	Put(ctx context.Context, name string, body []byte) error
}

type upload struct {
	name    string
	total   int
	chunks  map[int][]byte
	started time.Time
}

// Tracker collects the chunks of multipart uploads. Chunks of one upload
// arrive in any order over several connections.
type Tracker struct {
	blobs BlobStore

	mu       sync.Mutex
	uploads  map[string]*upload
	finished int
}

func NewTracker(blobs BlobStore) *Tracker {
	return &Tracker{blobs: blobs, uploads: make(map[string]*upload)}
}

func (t *Tracker) Begin(id, name string, total int) error {
	if total <= 0 {
		return ErrBadChunk
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, dup := t.uploads[id]; dup {
		return fmt.Errorf("upload: id %q already in use", id)
	}
	t.uploads[id] = &upload{
		name:    name,
		total:   total,
		chunks:  make(map[int][]byte, total),
		started: time.Now(),
	}
	return nil
}

func (t *Tracker) addChunk(id string, index int, data []byte) (last bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.uploads[id]
	if !ok {
		return false, ErrUnknownUpload
	}
	if index < 0 || index >= u.total {
		return false, ErrBadChunk
	}
	if _, seen := u.chunks[index]; seen {
		return false, nil
	}
	u.chunks[index] = data
	return len(u.chunks) == u.total, nil
}

func (t *Tracker) assemble(id string) (name string, body []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.uploads[id]
	if !ok {
		return "", nil, ErrUnknownUpload
	}
	var buf bytes.Buffer
	for i := 0; i < u.total; i++ {
		buf.Write(u.chunks[i])
	}
	return u.name, buf.Bytes(), nil
}

func (t *Tracker) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.uploads, id)
	t.finished++
}

// Receive stores one chunk; the call that brings the last missing chunk
// also writes the assembled file.
func (t *Tracker) Receive(ctx context.Context, id string, index int, data []byte) error {
	last, err := t.addChunk(id, index, data)
	if err != nil || !last {
		return err
	}
	return t.finish(ctx, id)
}

func (t *Tracker) finish(ctx context.Context, id string) error {
	name, body, err := t.assemble(id)
	if err != nil {
		return err
	}
	err = t.blobs.Put(ctx, name, body)
	t.remove(id)
	return err
}

func (t *Tracker) Finished() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.finished
}

// Part is what a connection handler decodes from the wire.
type Part struct {
	UploadID string
	Index    int
	Data     []byte
}

// Serve runs one goroutine for each connection.
func (t *Tracker) Serve(ctx context.Context, conns []<-chan Part) {
	var wg sync.WaitGroup
	for _, parts := range conns {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range parts {
				if err := t.Receive(ctx, p.UploadID, p.Index, p.Data); err != nil {
					log.Printf("upload %s chunk %d: %v", p.UploadID, p.Index, err)
				}
			}
		}()
	}
	wg.Wait()
}
