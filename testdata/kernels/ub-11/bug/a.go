package a

import (
	"context"
	"errors"
	"net"
	"sync"
)

type linkState int

const (
	idle linkState = iota
	dialing
	up
	closed
)

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("broker link: closed")
	// ErrBusy is returned while another Connect is under way.
	ErrBusy = errors.New("broker link: connecting")
	// ErrDown is returned by Send when the link is not up.
	ErrDown = errors.New("broker link: not connected")
)

// Dial opens the transport.
type Dial func(ctx context.Context) (net.Conn, error)

// Link is the connection of a sensor gateway to its message broker.
type Link struct {
	dial Dial

	mu    sync.Mutex
	state linkState
	conn  net.Conn
}

// NewLink returns a link that is not yet connected.
func NewLink(dial Dial) *Link { return &Link{dial: dial} }

// Connect brings the link up.
func (l *Link) Connect(ctx context.Context) error {
	l.mu.Lock()
	switch l.state {
	case closed:
		l.mu.Unlock()
		return ErrClosed
	case dialing:
		l.mu.Unlock()
		return ErrBusy
	case up:
		l.mu.Unlock()
		return nil
	}
	l.state = dialing
	l.mu.Unlock()

	conn, err := l.dial(ctx)

	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.state = idle
		return err
	}
	l.conn = conn
	l.state = up
	return nil
}

// Send writes one packet.
func (l *Link) Send(packet []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.state {
	case up:
		_, err := l.conn.Write(packet)
		if err != nil {
			l.conn.Close()
			l.conn, l.state = nil, idle
		}
		return err
	case closed:
		return ErrClosed
	default:
		return ErrDown
	}
}

// Close shuts the link for good. It does not wait for a Connect under way.
func (l *Link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == closed {
		return nil
	}
	l.state = closed
	if l.conn == nil {
		return nil
	}
	err := l.conn.Close()
	l.conn = nil
	return err
}
