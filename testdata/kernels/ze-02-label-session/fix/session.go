// Package labels talks to the label printers of a parcel depot. A Session is
// one connection to a printer; many packing stations print through it at once.
package labels

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// ErrSessionClosed is the outcome of jobs cut off by the end of the session.
var ErrSessionClosed = errors.New("labels: session closed")

// Label is what a packing station wants on paper.
type Label struct {
	Parcel  string
	Address []string
	Copies  int
}

// Job is a label on its way. It ends when the printer acknowledges it or the
// session ends, whichever happens first.
type Job struct {
	id   uint32
	done chan struct{}
	err  error // valid once done is closed
}

// Wait blocks until the job has ended or ctx is done.
func (j *Job) Wait(ctx context.Context) error {
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *Job) finish(err error) {
	j.err = err
	close(j.done)
}

// outbox collects frames for the writer goroutine. Putting never blocks, so
// that a slow printer does not hold up the stations.
type outbox struct {
	mu     sync.Mutex
	frames [][]byte
	wake   chan struct{}
}

func (o *outbox) put(frame []byte) {
	o.mu.Lock()
	o.frames = append(o.frames, frame)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.frames
	o.frames = nil
	return f
}

// Session is one connection to a printer. Its methods are safe for concurrent
// use.
type Session struct {
	conn net.Conn
	out  outbox
	stop chan struct{}

	mu      sync.Mutex
	closed  bool
	nextID  uint32
	pending map[uint32]*Job
}

// Open starts a session on conn. The session owns conn from then on.
func Open(conn net.Conn) *Session {
	s := &Session{
		conn:    conn,
		out:     outbox{wake: make(chan struct{}, 1)},
		stop:    make(chan struct{}),
		pending: make(map[uint32]*Job),
	}
	go s.writeLoop()
	go s.readLoop()
	return s
}

// Submit hands a label to the printer. The job it returns can be waited for.
func (s *Session) Submit(l Label) (*Job, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrSessionClosed
	}
	s.nextID++
	id := s.nextID
	s.mu.Unlock()

	frame, err := encode(id, l)
	if err != nil {
		return nil, err
	}
	job := &Job{id: id, done: make(chan struct{})}

	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrSessionClosed
	}
	s.pending[id] = job
	s.mu.Unlock()
	s.out.put(frame)
	return job, nil
}

// Close ends the session. Jobs that have not been acknowledged end with
// ErrSessionClosed.
func (s *Session) Close() error {
	return s.shutdown(ErrSessionClosed)
}

func (s *Session) shutdown(reason error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	jobs := s.pending
	s.pending = make(map[uint32]*Job)
	s.mu.Unlock()

	close(s.stop)
	for _, j := range jobs {
		j.finish(reason)
	}
	return s.conn.Close()
}

func (s *Session) writeLoop() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.out.wake:
		}
		for _, f := range s.out.take() {
			if _, err := s.conn.Write(f); err != nil {
				s.shutdown(fmt.Errorf("labels: write: %w", err))
				return
			}
		}
	}
}

// readLoop reads acknowledgements: the job's id and a status byte.
func (s *Session) readLoop() {
	r := bufio.NewReader(s.conn)
	var ack [5]byte
	for {
		if _, err := io.ReadFull(r, ack[:]); err != nil {
			s.shutdown(fmt.Errorf("labels: read: %w", err))
			return
		}
		id := binary.BigEndian.Uint32(ack[:4])
		s.mu.Lock()
		job := s.pending[id]
		delete(s.pending, id)
		s.mu.Unlock()
		if job == nil {
			continue
		}
		if ack[4] != 0 {
			job.finish(fmt.Errorf("labels: printer status %d", ack[4]))
		} else {
			job.finish(nil)
		}
	}
}

// encode renders a label in the printer's frame format.
func encode(id uint32, l Label) ([]byte, error) {
	if l.Parcel == "" || l.Copies < 1 {
		return nil, errors.New("labels: incomplete label")
	}
	body := l.Parcel + "\n" + strings.Join(l.Address, "\n")
	f := binary.BigEndian.AppendUint32(nil, id)
	f = binary.BigEndian.AppendUint16(f, uint16(l.Copies))
	f = binary.BigEndian.AppendUint32(f, uint32(len(body)))
	return append(f, body...), nil
}
