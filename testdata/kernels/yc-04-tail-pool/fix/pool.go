// Package tailpool shares one open log file between all pipelines of an agent
// that read it, so that a file is opened and followed only once.
package tailpool

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Poll of a tail that has been closed.
var ErrClosed = errors.New("tailpool: tail is closed")

// Tail follows one file. It is shared by every pipeline that acquired it.
type Tail struct {
	path string
	refs atomic.Int32

	mu      sync.Mutex
	file    *os.File
	reader  *bufio.Reader
	partial string
	sinks   map[int]func(line string)
	nextID  int
}

// Path returns the path of the followed file.
func (t *Tail) Path() string { return t.path }

// Attach registers a consumer of the lines and returns its detach function.
func (t *Tail) Attach(sink func(line string)) (detach func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.nextID
	t.nextID++
	t.sinks[id] = sink
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.sinks, id)
	}
}

// Poll reads the lines that were appended since the last Poll and passes them
// to the attached consumers. It returns the number of complete lines.
func (t *Tail) Poll() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return 0, ErrClosed
	}
	n := 0
	for {
		chunk, err := t.reader.ReadString('\n')
		t.partial += chunk
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		line := strings.TrimRight(t.partial, "\r\n")
		t.partial = ""
		n++
		for _, sink := range t.sinks {
			sink(line)
		}
	}
}

func (t *Tail) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file, t.reader = nil, nil
	return err
}

// Pool hands out tails. All methods are safe for concurrent use.
type Pool struct {
	mu    sync.RWMutex
	tails map[string]*Tail
}

// New returns an empty pool.
func New() *Pool {
	return &Pool{tails: make(map[string]*Tail)}
}

// Acquire returns the tail of path and opens the file if no pipeline follows
// it yet. Every tail acquired has to be given back with Release; it stays open
// until the last holder has done so.
func (p *Pool) Acquire(path string) (*Tail, error) {
	p.mu.RLock()
	t, ok := p.tails[path]
	if ok {
		t.refs.Add(1)
	}
	p.mu.RUnlock()
	if ok {
		return t, nil
	}
	return p.open(path)
}

// open adds the tail of path to the pool.
func (p *Pool) open(path string) (*Tail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.tails[path]; ok {
		t.refs.Add(1)
		return t, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &Tail{
		path:   path,
		file:   f,
		reader: bufio.NewReader(f),
		sinks:  make(map[int]func(string)),
	}
	t.refs.Store(1)
	p.tails[path] = t
	return t, nil
}

// Release gives a tail back and closes it after its last holder is gone.
func (p *Pool) Release(t *Tail) error {
	if !p.drop(t) {
		return nil
	}
	return t.close()
}

// drop gives up one reference. It reports whether that was the last one, in
// which case the tail is no longer in the pool.
func (p *Pool) drop(t *Tail) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.refs.Add(-1) > 0 {
		return false
	}
	delete(p.tails, t.path)
	return true
}

// Paths returns the followed files in order.
func (p *Pool) Paths() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	paths := make([]string, 0, len(p.tails))
	for path := range p.tails {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}
