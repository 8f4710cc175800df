package a

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Opener opens the file of a typeface.
type Opener func(family string) (io.ReadCloser, error)

type face struct {
	family string
	data   []byte
	src    io.Closer
	refs   atomic.Int32
}

func (f *face) retain() *face {
	f.refs.Add(1)
	return f
}

func (f *face) drop() bool { return f.refs.Add(-1) == 0 }

// Foundry shares open typefaces between the documents that are set.
type Foundry struct {
	open Opener

	mu    sync.Mutex
	faces map[string]*face
	loads int
}

func NewFoundry(open Opener) *Foundry {
	return &Foundry{open: open, faces: make(map[string]*face)}
}

// Face is a typeface that a document uses.
type Face struct {
	*face
	owner *Foundry
	once  sync.Once
}

// Use returns the typeface; the document has to call Close on it.
func (y *Foundry) Use(family string) (*Face, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if f, ok := y.faces[family]; ok {
		return &Face{face: f.retain(), owner: y}, nil
	}
	src, err := y.open(family)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", family, err)
	}
	data, err := io.ReadAll(src)
	if err != nil {
		src.Close()
		return nil, fmt.Errorf("read %s: %w", family, err)
	}
	f := &face{family: family, data: data, src: src}
	y.faces[family] = f
	y.loads++
	return &Face{face: f.retain(), owner: y}, nil
}

func (y *Foundry) release(f *face) error {
	if !f.drop() {
		return nil
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	delete(y.faces, f.family)
	return f.src.Close()
}

// Close says that the document is done with the typeface.
func (f *Face) Close() (err error) {
	f.once.Do(func() { err = f.owner.release(f.face) })
	return err
}

// Size tells how big the typeface is.
func (f *Face) Size() int { return len(f.data) }

// Loads counts how often a file was opened.
func (y *Foundry) Loads() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.loads
}
