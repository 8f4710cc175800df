// Package pluginhost runs driver plugins as child processes and shares one
// process among all the allocations that use the same plugin.
package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by a handle after Close.
var ErrClosed = errors.New("pluginhost: handle closed")

// Process is a running plugin. Call may be used concurrently.
type Process interface {
	Call(ctx context.Context, method string, arg []byte) ([]byte, error)
	Kill() error
}

// Launcher forks a plugin. It returns as soon as the process exists; the
// handshake happens on the first call.
type Launcher func(path string) (Process, error)

type instance struct {
	path    string
	proc    Process
	started time.Time
	refs    atomic.Int32
}

// Host is safe for concurrent use.
type Host struct {
	launch Launcher

	mu      sync.Mutex
	running map[string]*instance
}

// New returns a host without plugins.
func New(launch Launcher) *Host {
	return &Host{launch: launch, running: make(map[string]*instance)}
}

// Handle is one user's share of a plugin. A handle belongs to one goroutine.
type Handle struct {
	host   *Host
	in     *instance
	closed bool
}

// Open returns a handle on the plugin at path, starting it if need be.
func (h *Host) Open(path string) (*Handle, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	in, ok := h.running[path]
	if !ok {
		proc, err := h.launch(path)
		if err != nil {
			return nil, fmt.Errorf("pluginhost: launch %s: %w", path, err)
		}
		in = &instance{path: path, proc: proc, started: time.Now()}
		h.running[path] = in
	}
	in.refs.Add(1)
	return &Handle{host: h, in: in}, nil
}

// Call invokes a method of the plugin.
func (hd *Handle) Call(ctx context.Context, method string, arg []byte) ([]byte, error) {
	if hd.closed {
		return nil, ErrClosed
	}
	return hd.in.proc.Call(ctx, method, arg)
}

// Close gives the share back. The last one to leave ends the process; two
// processes of a plugin can overlap while the old one is going away.
func (hd *Handle) Close() error {
	if hd.closed {
		return ErrClosed
	}
	hd.closed = true
	return hd.host.release(hd.in)
}

func (h *Host) release(in *instance) error {
	h.mu.Lock()
	if in.refs.Add(-1) > 0 {
		h.mu.Unlock()
		return nil
	}
	delete(h.running, in.path)
	h.mu.Unlock()
	if err := in.proc.Kill(); err != nil {
		return fmt.Errorf("pluginhost: kill %s: %w", in.path, err)
	}
	return nil
}

// Info describes a running plugin on the debug page.
type Info struct {
	Path string
	Refs int
	Age  time.Duration
}

// Running lists the plugins by path.
func (h *Host) Running() []Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Info, 0, len(h.running))
	for _, in := range h.running {
		out = append(out, Info{Path: in.path, Refs: int(in.refs.Load()), Age: time.Since(in.started)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}
