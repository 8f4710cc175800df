package a

import (
	"context"
	"io"
	"sync"
)

// Stream sends frames as far as the peer's window allows.
type Stream struct {
	w    io.Writer
	turn chan struct{}

	mu     sync.Mutex
	window int
	raised chan struct{}
}

// NewStream returns a stream with the given first window.
func NewStream(w io.Writer, window int) *Stream {
	return &Stream{
		w:      w,
		turn:   make(chan struct{}, 1),
		window: window,
		raised: make(chan struct{}),
	}
}

// Send writes the frame when it is the caller's turn and the window is large
// enough.
func (s *Stream) Send(ctx context.Context, frame []byte) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()

	if err := s.await(ctx, len(frame)); err != nil {
		return err
	}
	if _, err := s.w.Write(frame); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window -= len(frame)
	return nil
}

// Raise is called for each window update of the peer.
func (s *Stream) Raise(n uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window += int(n)
	close(s.raised)
	s.raised = make(chan struct{})
}

// Window reports the current window.
func (s *Stream) Window() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window
}

func (s *Stream) await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		window, raised := s.window, s.raised
		s.mu.Unlock()
		if window >= n {
			return nil
		}
		select {
		case <-raised:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
