// Package sessions tracks which connection currently speaks for an IoT device.
package sessions

import (
	"errors"
	"io"
	"sync"
)

// ErrOffline is returned for devices without a connection.
var ErrOffline = errors.New("sessions: device is offline")

// Conn is the connection to a device. Its methods may be called concurrently.
type Conn interface {
	io.Closer
	Send(cmd []byte) error
	Recv() ([]byte, error)
}

type session struct {
	device string
	conn   Conn
	once   sync.Once
}

func (s *session) shut() {
	s.once.Do(func() { _ = s.conn.Close() })
}

// Registry maps devices to their session.
type Registry struct {
	handle func(device string, frame []byte)

	mu   sync.Mutex
	live map[string]*session
}

// New returns a registry that passes frames to handle.
func New(handle func(device string, frame []byte)) *Registry {
	return &Registry{handle: handle, live: make(map[string]*session)}
}

// Serve reads from conn until it breaks. A device that connects again replaces
// its older connection, which often has not noticed yet that it is dead.
func (r *Registry) Serve(device string, conn Conn) error {
	s := &session{device: device, conn: conn}
	r.attach(s)
	defer r.detach(s)
	for {
		frame, err := conn.Recv()
		if err != nil {
			return err
		}
		r.handle(device, frame)
	}
}

func (r *Registry) attach(s *session) {
	r.mu.Lock()
	old := r.live[s.device]
	r.live[s.device] = s
	r.mu.Unlock()
	if old != nil {
		old.shut()
	}
}

func (r *Registry) detach(s *session) {
	s.shut()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[s.device] == s {
		delete(r.live, s.device)
	}
}

// Command sends cmd to a device.
func (r *Registry) Command(device string, cmd []byte) error {
	r.mu.Lock()
	s := r.live[device]
	r.mu.Unlock()
	if s == nil {
		return ErrOffline
	}
	if err := s.conn.Send(cmd); err != nil {
		r.detach(s)
		return err
	}
	return nil
}

// Online returns the number of connected devices.
func (r *Registry) Online() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}
