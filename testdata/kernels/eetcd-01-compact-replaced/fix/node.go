// Package fix is a replica whose storage engine is replaced when it installs
// an image from the leader.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errEngineClosed = errors.New("engine is closed")

// disk stands for the data directory: files by name.
type disk struct {
	mu    sync.Mutex
	files map[string]map[string]string
}

func (d *disk) write(name string, data map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = data
}

func (d *disk) read(name string) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name]
}

// engine is the storage, it keeps its data in a file of the disk.
type engine struct {
	mu     sync.RWMutex
	disk   *disk
	path   string
	kv     map[string]string
	dead   int
	closed bool
}

func openEngine(d *disk, path string) *engine {
	kv := make(map[string]string)
	for k, v := range d.read(path) {
		kv[k] = v
	}
	return &engine{disk: d, path: path, kv: kv}
}

func (e *engine) put(k, v string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errEngineClosed
	}
	if _, ok := e.kv[k]; ok {
		e.dead++
	}
	e.kv[k] = v
	return nil
}

func (e *engine) get(k string) (string, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	v, ok := e.kv[k]
	return v, ok
}

// shrink writes the live data into a fresh file in place of the old one.
func (e *engine) shrink() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errEngineClosed
	}
	data := make(map[string]string, len(e.kv))
	for k, v := range e.kv {
		data[k] = v
	}
	e.disk.write(e.path, data)
	e.dead = 0
	return nil
}

func (e *engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

type image struct {
	index uint64
	data  map[string]string
}

type node struct {
	disk    *disk
	applied atomic.Uint64

	emu sync.RWMutex
	eng *engine

	imageC chan image
	stopC  chan struct{}
	wg     sync.WaitGroup
}

func newNode() *node {
	d := &disk{files: make(map[string]map[string]string)}
	n := &node{disk: d, imageC: make(chan image), stopC: make(chan struct{})}
	n.eng = openEngine(d, "db")
	n.wg.Add(1)
	go n.run()
	return n
}

// Engine returns the engine that is in use.
func (n *node) Engine() *engine {
	n.emu.RLock()
	defer n.emu.RUnlock()
	return n.eng
}

func (n *node) run() {
	defer n.wg.Done()
	for {
		select {
		case img := <-n.imageC:
			n.install(img)
		case <-n.stopC:
			return
		}
	}
}

// install replaces the engine with the content of an image.
func (n *node) install(img image) {
	if img.index <= n.applied.Load() {
		return
	}
	n.emu.Lock()
	n.disk.write("db", img.data)
	fresh := openEngine(n.disk, "db")

	old := n.eng
	n.eng = fresh
	n.emu.Unlock()
	go old.close()

	n.applied.Store(img.index)
}

// Shrink gives unused space of the engine back.
func (n *node) Shrink() error {
	n.emu.Lock()
	defer n.emu.Unlock()
	return n.eng.shrink()
}

func (n *node) stop() {
	close(n.stopC)
	n.wg.Wait()
	n.Engine().close()
}

// maintenance serves the operator.
type maintenance struct {
	node   *node
	active atomic.Int32
}

// Shrink gives unused space of the engine back.
func (m *maintenance) Shrink() error {
	m.active.Add(1)
	defer m.active.Add(-1)
	if err := m.node.Shrink(); err != nil {
		return fmt.Errorf("shrink: %w", err)
	}
	return nil
}

// Status describes the node.
func (m *maintenance) Status() string {
	e := m.node.Engine()
	e.mu.RLock()
	defer e.mu.RUnlock()
	return fmt.Sprintf("keys=%d dead=%d", len(e.kv), e.dead)
}
