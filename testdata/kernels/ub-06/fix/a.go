package a

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Handle is an open sequence file, shared by all readers of the same path.
type Handle struct {
	path string
	file *os.File
	size int64
	refs atomic.Int32
}

func (h *Handle) retain() { h.refs.Add(1) }

// ReadAt reads from the file; it is safe for concurrent use.
func (h *Handle) ReadAt(p []byte, off int64) (int, error) {
	return h.file.ReadAt(p, off)
}

// Size returns the file's size when it was opened.
func (h *Handle) Size() int64 { return h.size }

// Pool opens each sequence file once and closes it after its last user.
type Pool struct {
	dir string

	mu   sync.Mutex
	open map[string]*Handle
}

// NewPool returns a pool for the files below dir.
func NewPool(dir string) *Pool {
	return &Pool{dir: dir, open: make(map[string]*Handle)}
}

func (p *Pool) openFile(name string) (*Handle, error) {
	path := filepath.Join(p.dir, filepath.Clean("/"+name))
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sequence %s: %w", name, err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("sequence %s: %w", name, err)
	}
	return &Handle{path: name, file: f, size: st.Size()}, nil
}

// lookup finds the handle of name or opens the file. The pool's lock must be
// held.
func (p *Pool) lookup(name string) (*Handle, error) {
	if h, ok := p.open[name]; ok {
		return h, nil
	}
	h, err := p.openFile(name)
	if err != nil {
		return nil, err
	}
	p.open[name] = h
	return h, nil
}

// Acquire returns the handle of name. The caller must Release it once.
func (p *Pool) Acquire(name string) (*Handle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, err := p.lookup(name)
	if err != nil {
		return nil, err
	}
	h.retain()
	return h, nil
}

// Release gives a handle back.
func (p *Pool) Release(h *Handle) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.refs.Add(-1) > 0 {
		return nil
	}
	delete(p.open, h.path)
	return h.file.Close()
}

// Open returns the number of files that are open now.
func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}
