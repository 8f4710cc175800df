// Package fix subscribes to resources over one stream.
package fix

import (
	"context"
	"sync"
)

// Conn is the stream to the management server. Send and Recv may be called
// at the same time.
type Conn interface {
	Send(kind string, names []string) error
	Recv() (kind string, data []byte, err error)
}

// flowControl stops reading while an update is being consumed.
type flowControl struct {
	mu      sync.Mutex
	cond    *sync.Cond
	pending bool
	stopped bool
}

func newFlowControl() *flowControl {
	fc := &flowControl{}
	fc.cond = sync.NewCond(&fc.mu)
	return fc
}

func (fc *flowControl) stop() {
	fc.mu.Lock()
	defer fc.mu.Unlock()
	fc.stopped = true
	fc.cond.Broadcast()
}

func (fc *flowControl) setPending(pending bool) {
	fc.mu.Lock()
	defer fc.mu.Unlock()
	fc.pending = pending
	if !pending {
		fc.cond.Broadcast()
	}
}

// runIfPending runs f during an update, which does not end before f returns.
func (fc *flowControl) runIfPending(f func()) bool {
	fc.mu.Lock()
	defer fc.mu.Unlock()
	if fc.pending {
		f()
	}
	return fc.pending
}

// wait blocks until the last update was consumed.
func (fc *flowControl) wait() bool {
	fc.mu.Lock()
	defer fc.mu.Unlock()
	for fc.pending && !fc.stopped {
		fc.cond.Wait()
	}
	return !fc.stopped
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
	context.AfterFunc(ctx, s.fc.stop)
	go s.recv()
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

	if s.fc.runIfPending(func() {
		select {
		case st.buffered <- struct{}{}:
		default:
		}
	}) {
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

func (s *Stream) recv() {
	for s.fc.wait() {
		if err := s.sendBuffered(); err != nil {
			return
		}
		kind, data, err := s.conn.Recv()
		if err != nil {
			return
		}
		s.fc.setPending(true)
		s.watch(kind, data, func() { s.fc.setPending(false) })
	}
}
