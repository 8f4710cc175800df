// Package fix reads raft messages from a peer.
package fix

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"sync"
	"time"
)

// Message is one raft message.
type Message struct {
	From, To  uint64
	Heartbeat bool
	Data      []byte
}

// RoundTripper opens the stream of a peer.
type RoundTripper interface {
	RoundTrip(ctx context.Context, path string) (io.ReadCloser, error)
}

type decoder interface {
	decode() (Message, error)
}

type messageDecoder struct{ dec *gob.Decoder }

func (d *messageDecoder) decode() (Message, error) {
	var m Message
	err := d.dec.Decode(&m)
	return m, err
}

type peerStatus struct {
	mu     sync.Mutex
	active bool
	since  time.Time
}

func (s *peerStatus) activate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active {
		s.active, s.since = true, time.Now()
	}
}

func (s *peerStatus) deactivate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active, s.since = false, time.Time{}
}

type streamReader struct {
	path   string
	rt     RoundTripper
	status *peerStatus
	recvc  chan<- Message

	mu     sync.Mutex
	paused bool
	cancel func()
	closer io.Closer

	stopc chan struct{}
	done  chan struct{}
}

func (cr *streamReader) start() {
	cr.stopc = make(chan struct{})
	cr.done = make(chan struct{})
	go cr.run()
}

func (cr *streamReader) run() {
	for {
		rc, err := cr.dial()
		if err != nil {
			cr.status.deactivate()
		} else {
			cr.status.activate()
			if err := cr.decodeLoop(rc); !errors.Is(err, io.EOF) {
				cr.status.deactivate()
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-cr.stopc:
			close(cr.done)
			return
		}
	}
}

func (cr *streamReader) decodeLoop(rc io.ReadCloser) error {
	cr.mu.Lock()
	var dec decoder = &messageDecoder{dec: gob.NewDecoder(rc)}
	select {
	case <-cr.stopc:
		cr.mu.Unlock()
		if err := rc.Close(); err != nil {
			return err
		}
		return io.EOF
	default:
		cr.closer = rc
	}
	cr.mu.Unlock()

	for {
		m, err := dec.decode()
		if err != nil {
			cr.mu.Lock()
			cr.close()
			cr.mu.Unlock()
			return err
		}
		cr.mu.Lock()
		paused := cr.paused
		cr.mu.Unlock()
		if paused || m.Heartbeat {
			continue
		}
		select {
		case cr.recvc <- m:
		default: // receiving buffer is full
		}
	}
}

func (cr *streamReader) stop() {
	close(cr.stopc)
	cr.mu.Lock()
	if cr.cancel != nil {
		cr.cancel()
	}
	cr.close()
	cr.mu.Unlock()
	<-cr.done
}

func (cr *streamReader) dial() (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cr.mu.Lock()
	select {
	case <-cr.stopc:
		cr.mu.Unlock()
		cancel()
		return nil, errors.New("stream reader is stopped")
	default:
	}
	cr.cancel = cancel
	cr.mu.Unlock()
	return cr.rt.RoundTrip(ctx, cr.path)
}

func (cr *streamReader) close() {
	if cr.closer != nil {
		cr.closer.Close()
	}
	cr.closer = nil
}

func (cr *streamReader) pause(on bool) {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	cr.paused = on
}
