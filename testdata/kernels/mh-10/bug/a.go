// Package a multiplexes streams over one connection.
package a

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

var (
	ErrSessionClosed = errors.New("session closed")
	ErrKeepAlive     = errors.New("peer does not answer")
)

const (
	framePing uint32 = iota + 1
	frameData
	frameGoAway
)

// header starts each frame: type, stream and length of the payload.
type header [12]byte

func (h *header) encode(typ, stream, length uint32) {
	binary.BigEndian.PutUint32(h[0:4], typ)
	binary.BigEndian.PutUint32(h[4:8], stream)
	binary.BigEndian.PutUint32(h[8:12], length)
}

func (h *header) decode() (typ, stream, length uint32) {
	return binary.BigEndian.Uint32(h[0:4]),
		binary.BigEndian.Uint32(h[4:8]),
		binary.BigEndian.Uint32(h[8:12])
}

// Session is one connection with its streams.
type Session struct {
	conn   io.ReadWriteCloser
	onData func(stream uint32, payload []byte)
	done   chan struct{}

	writeMu sync.Mutex // keeps frames in one piece

	mu       sync.Mutex
	shutdown bool
	err      error
	lastSeen time.Time
}

// NewSession starts a session on conn. onData is called for each data frame.
// The writes of conn have to time out when the peer does not read.
func NewSession(conn io.ReadWriteCloser, keepAlive time.Duration, onData func(uint32, []byte)) *Session {
	s := &Session{
		conn:     conn,
		onData:   onData,
		done:     make(chan struct{}),
		lastSeen: time.Now(),
	}
	go s.readLoop()
	go s.keepAliveLoop(keepAlive)
	return s
}

func (s *Session) writeFrame(typ, stream uint32, payload []byte) error {
	var h header
	h.encode(typ, stream, uint32(len(payload)))
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if _, err := s.conn.Write(h[:]); err != nil {
		return err
	}
	_, err := s.conn.Write(payload)
	return err
}

// Send writes payload to a stream.
func (s *Session) Send(stream uint32, payload []byte) error {
	select {
	case <-s.done:
		return s.Err()
	default:
	}
	return s.writeFrame(frameData, stream, payload)
}

func (s *Session) touch() {
	s.mu.Lock()
	s.lastSeen = time.Now()
	s.mu.Unlock()
}

func (s *Session) silentFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.lastSeen)
}

// readLoop takes in frames until the connection fails.
func (s *Session) readLoop() {
	for {
		var h header
		if _, err := io.ReadFull(s.conn, h[:]); err != nil {
			s.exit(err)
			return
		}
		typ, stream, length := h.decode()
		payload := make([]byte, length)
		if _, err := io.ReadFull(s.conn, payload); err != nil {
			s.exit(err)
			return
		}
		s.touch()
		switch typ {
		case frameData:
			s.onData(stream, payload)
		case frameGoAway:
			s.exit(io.EOF)
			return
		}
	}
}

// keepAliveLoop probes the peer and gives up after three silent periods.
func (s *Session) keepAliveLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-t.C:
			if s.silentFor() > 3*every {
				s.exit(ErrKeepAlive)
				return
			}
			if err := s.writeFrame(framePing, 0, nil); err != nil {
				s.exit(err)
				return
			}
		}
	}
}

// exit ends the session for the given reason; the first reason counts.
func (s *Session) exit(reason error) {
	s.mu.Lock()
	if s.shutdown {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()

	// Tell the peer, if it still listens.
	_ = s.writeFrame(frameGoAway, 0, nil)

	s.mu.Lock()
	s.shutdown = true
	s.err = reason
	s.mu.Unlock()
	close(s.done)
	s.conn.Close()
}

// Close ends the session.
func (s *Session) Close() error {
	s.exit(ErrSessionClosed)
	return nil
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err returns why the session has ended, or nil.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
