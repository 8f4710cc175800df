// Package shared keeps values that several owners use under one key. A value
// is made by the first owner and destroyed by the last one.
package shared

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Value can be kept in a Pool.
type Value interface {
	Destroy() error
}

// Pool is a set of values with reference counts.
type Pool struct {
	mu      sync.Mutex
	entries map[string]*entry
}

type entry struct {
	refs int // protected by Pool.mu

	mu    sync.RWMutex // held for writing while the value is being made
	value Value
	err   error
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{entries: make(map[string]*entry)}
}

// Load returns the value stored under key and takes a reference to it. If
// there is none, it is made with construct. Every successful call has to be
// followed by a call of Release.
func (p *Pool) Load(key string, construct func() (Value, error)) (Value, error) {
	p.mu.Lock()
	e, ok := p.entries[key]
	if ok {
		e.refs++
		p.mu.Unlock()
		e.mu.RLock()
		defer e.mu.RUnlock()
		return e.value, e.err
	}
	e = &entry{refs: 1}
	e.mu.Lock()
	p.entries[key] = e
	p.mu.Unlock()
	defer e.mu.Unlock()

	v, err := construct()
	if err != nil {
		// Those who are waiting get the error as well. The next one tries
		// again with a new entry.
		e.err = err
		p.mu.Lock()
		delete(p.entries, key)
		p.mu.Unlock()
		return nil, err
	}
	e.value = v
	return v, nil
}

// Release gives a reference back. The value is destroyed with the last one;
// meanwhile a new value may be made under the same key.
func (p *Pool) Release(key string) error {
	p.mu.Lock()
	e, ok := p.entries[key]
	if !ok {
		p.mu.Unlock()
		return fmt.Errorf("release of unknown value %q", key)
	}
	e.refs--
	if e.refs > 0 {
		p.mu.Unlock()
		return nil
	}
	delete(p.entries, key)
	p.mu.Unlock()

	e.mu.RLock()
	v := e.value
	e.mu.RUnlock()
	return v.Destroy()
}

// References returns the number of references to the value under key.
func (p *Pool) References(key string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, ok := p.entries[key]; ok {
		return e.refs
	}
	return 0
}

// logFile is a file many can append to.
type logFile struct {
	mu sync.Mutex
	f  *os.File
}

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Write(p)
}

func (l *logFile) Destroy() error { return l.f.Close() }

// Logs opens log files for any number of configurations at a time.
type Logs struct{ pool *Pool }

// NewLogs returns an empty set of log files.
func NewLogs() *Logs { return &Logs{pool: NewPool()} }

// Open returns a writer for the file at path, opened once.
func (l *Logs) Open(path string) (io.WriteCloser, error) {
	v, err := l.pool.Load(path, func() (Value, error) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		return &logFile{f: f}, nil
	})
	if err != nil {
		return nil, err
	}
	return &logWriter{logFile: v.(*logFile), pool: l.pool, path: path}, nil
}

type logWriter struct {
	*logFile
	pool *Pool
	path string
	once sync.Once
	err  error
}

// Close gives up the writer. The file is closed with its last writer.
func (w *logWriter) Close() error {
	w.once.Do(func() { w.err = w.pool.Release(w.path) })
	return w.err
}
