// Package memfs is an in-memory file system with pinned page buffers.
package memfs

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var ErrNotExist = errors.New("memfs: file does not exist")

// node is the cached content of a file while handles to it are open.
type node struct {
	path string
	refs atomic.Int32

	mu   sync.RWMutex
	data []byte
}

func (n *node) readAt(p []byte, off int64) (int, error) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if off >= int64(len(n.data)) {
		return 0, io.EOF
	}
	return copy(p, n.data[off:]), nil
}

func (n *node) free() {
	n.mu.Lock()
	n.data = nil
	n.mu.Unlock()
}

type FS struct {
	load func(path string) ([]byte, error)

	mu    sync.Mutex
	nodes map[string]*node
}

func New(load func(path string) ([]byte, error)) *FS {
	return &FS{load: load, nodes: make(map[string]*node)}
}

type File struct {
	fs   *FS
	node *node
	off  int64
	once sync.Once
}

// Open returns a handle to path, reading it from the backing store if no
// other handle is open.
func (fs *FS) Open(path string) (*File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, ok := fs.nodes[path]
	if !ok {
		data, err := fs.load(path)
		if err != nil {
			return nil, ErrNotExist
		}
		n = &node{path: path, data: data}
		fs.nodes[path] = n
	}
	n.refs.Add(1)
	return &File{fs: fs, node: n}, nil
}

// evict forgets a node without handles.
func (fs *FS) evict(n *node) {
	fs.mu.Lock()
	delete(fs.nodes, n.path)
	fs.mu.Unlock()
	n.free()
}

func (fs *FS) release(n *node) {
	if n.refs.Add(-1) == 0 {
		fs.evict(n)
	}
}

// Cached is the number of files held in memory.
func (fs *FS) Cached() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.nodes)
}

// Read is not safe for concurrent use on one handle.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.node.readAt(p, f.off)
	f.off += int64(n)
	return n, err
}

func (f *File) Close() error {
	f.once.Do(func() { f.fs.release(f.node) })
	return nil
}
