// Package bug subscribes to resources over one stream.
package bug

import (
	"context"
	"sync"
	"sync/atomic"
)

// Conn is the stream to the management server. Send and Recv may be called
// at the same time.
type Conn interface {
	Send(kind string, names []string) error
	Recv() (kind string, data []byte, err error)
}

// flowControl stops reading while an update is being consumed.
type flowControl struct {
	pending atomic.Bool
	ready   chan struct{}
}

func newFlowControl() *flowControl {
	return &flowControl{ready: make(chan struct{}, 1)}
}

func (fc *flowControl) setPending() { fc.pending.Store(true) }

// wait blocks until the last update was consumed.
func (fc *flowControl) wait(ctx context.Context) bool {
	if !fc.pending.Load() {
		select {
		case <-fc.ready:
		default:
		}
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-fc.ready:
		return true
	}
}

// onDone is called when all watchers have consumed the update.
func (fc *flowControl) onDone() {
	select {
	case fc.ready <- struct{}{}:
	default:
	}
	fc.pending.Store(false)
}

type kindState struct {
	names    map[string]bool
	unsent   bool
	buffered chan struct{} // a request waits for the end of the update
}

// Stream sends subscriptions and hands updates to watch.
type Stream struct {
	conn  Conn
	watch func(kind string, data []byte, done func())
	fc    *flowControl

	mu    sync.Mutex
	kinds map[string]*kindState
}

// NewStream starts reading from conn. watch must call done once.
func NewStream(ctx context.Context, conn Conn, watch func(string, []byte, func())) *Stream {
	s := &Stream{conn: conn, watch: watch, fc: newFlowControl(), kinds: make(map[string]*kindState)}
	go s.recv(ctx)
	return s
}

// Subscribe asks for a resource. During an update the request is buffered, so
// that several of them become one message.
func (s *Stream) Subscribe(kind, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.kinds[kind]
	if st == nil {
		st = &kindState{names: make(map[string]bool), buffered: make(chan struct{}, 1)}
		s.kinds[kind] = st
	}
	if st.names[name] {
		return nil
	}
	st.names[name] = true
	st.unsent = true

	if s.fc.pending.Load() {
		select {
		case st.buffered <- struct{}{}:
		default:
		}
		return nil
	}
	return s.sendLocked(kind, st)
}

// sendLocked sends the names of a kind. The caller holds s.mu.
func (s *Stream) sendLocked(kind string, st *kindState) error {
	if !st.unsent {
		return nil
	}
	names := make([]string, 0, len(st.names))
	for n := range st.names {
		names = append(names, n)
	}
	if err := s.conn.Send(kind, names); err != nil {
		return err
	}
	st.unsent = false
	return nil
}

// sendBuffered sends what was buffered during an update.
func (s *Stream) sendBuffered() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, st := range s.kinds {
		select {
		case <-st.buffered:
			if err := s.sendLocked(kind, st); err != nil {
				return err
			}
		default:
		}
	}
	return nil
}

func (s *Stream) recv(ctx context.Context) {
	for s.fc.wait(ctx) {
		if err := s.sendBuffered(); err != nil {
			return
		}
		kind, data, err := s.conn.Recv()
		if err != nil {
			return
		}
		s.fc.setPending()
		s.watch(kind, data, s.fc.onDone)
	}
}
