// Package fix lets clients open named channels and refer to them in calls.
package fix

import (
	"context"
	"errors"
	"io"
	"sync"
)

var (
	errNotFound = errors.New("not found")
	errExists   = errors.New("already exists")
)

// Message is one frame.
type Message struct {
	Kind string
	Name string
	Data []byte
}

// Wire is a connection to one client; it serialises itself.
type Wire interface {
	Context() context.Context
	Send(*Message) error
	Recv() (*Message, error)
}

// channel is a named pair of directions.
type channel interface {
	Send(*Message) error
	Recv() (*Message, error)
	Close() error
}

// directory maps spaces and names to channels.
type directory struct {
	mu     sync.RWMutex
	spaces map[string]map[string]*listed
}

func newDirectory() *directory {
	return &directory{spaces: make(map[string]map[string]*listed)}
}

type listed struct {
	channel
	space, name string
	dir         *directory
}

func (d *directory) enter(space, name string, c channel) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.spaces[space]
	if !ok {
		m = make(map[string]*listed)
		d.spaces[space] = m
	}
	if _, ok := m[name]; ok {
		return errExists
	}
	m[name] = &listed{channel: c, space: space, name: name, dir: d}
	return nil
}

func (d *directory) find(space, name string) (channel, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.spaces[space][name]
	if !ok {
		return nil, errNotFound
	}
	return c, nil
}

// Close takes the channel out of the directory.
func (l *listed) Close() error {
	l.dir.mu.Lock()
	if m, ok := l.dir.spaces[l.space]; ok {
		delete(m, l.name)
		if len(m) == 0 {
			delete(l.dir.spaces, l.space)
		}
	}
	l.dir.mu.Unlock()
	return l.channel.Close()
}

type wireChannel struct {
	w    Wire
	once sync.Once
	cc   chan struct{}
}

func (wc *wireChannel) Send(m *Message) error   { return wc.w.Send(m) }
func (wc *wireChannel) Recv() (*Message, error) { return wc.w.Recv() }

func (wc *wireChannel) Close() error {
	wc.once.Do(func() { close(wc.cc) })
	return nil
}

// endpoint serves the calls of clients.
type endpoint struct {
	dir *directory
}

// NewEndpoint returns an endpoint without channels.
func NewEndpoint() *endpoint {
	return &endpoint{dir: newDirectory()}
}

// Open is called for each new channel and runs as long as it is open.
func (e *endpoint) Open(space string, w Wire) error {
	first, err := w.Recv()
	if err != nil {
		return err
	}
	if first.Kind != "open" || first.Name == "" {
		return errors.New("first message must name the channel")
	}

	cc := make(chan struct{})
	wc := &wireChannel{w: w, cc: cc}

	if err := e.dir.enter(space, first.Name, wc); err != nil {
		return err
	}

	if err := w.Send(&Message{Kind: "ok"}); err != nil {
		return err
	}

	select {
	case <-w.Context().Done():
	case <-cc:
	}
	return nil
}

// Import reads all data from a channel that the client has opened before.
func (e *endpoint) Import(space, name string) ([]byte, error) {
	c, err := e.dir.find(space, name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var all []byte
	for {
		m, err := c.Recv()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m.Data...)
	}
}

// Export writes data to a channel that the client has opened before.
func (e *endpoint) Export(space, name string, data []byte) error {
	c, err := e.dir.find(space, name)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Send(&Message{Kind: "data", Data: data})
}
