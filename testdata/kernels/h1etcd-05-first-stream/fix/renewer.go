// Package renew keeps the reservations of a client alive.
package renew

import (
	"context"
	"errors"
	"sync"
	"time"
)

var ErrClosed = errors.New("renew: closed")

// Answer is what the service says about a reservation.
type Answer struct {
	ID  int64
	TTL time.Duration // 0 if the reservation is gone
}

// Stream carries renewals.
type Stream interface {
	Send(id int64) error
	Recv() (Answer, error)
	CloseSend() error
}

// Service opens streams. A stream fails when its context is done. A client has
// one stream: Open fails while it has another one that works.
type Service interface {
	Open(ctx context.Context) (Stream, error)
}

// reservation is a reservation that is kept alive.
type reservation struct {
	answers chan Answer
	next    time.Time // when to send again
}

// Renewer sends the renewals from one goroutine and takes the answers with
// another.
type Renewer struct {
	svc Service

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	// reopen is held while a broken stream is replaced.
	reopen sync.Mutex

	// first holds one value, which tells whether the first stream was opened.
	// The loop that has taken it opens the stream.
	first chan bool

	mu           sync.Mutex
	closed       bool
	stream       Stream
	streamCancel context.CancelFunc
	kept         map[int64]*reservation
}

// New starts a renewer. The stream is opened by its goroutines, so that a slow
// service does not hold up the caller.
func New(svc Service) *Renewer {
	r := &Renewer{
		svc:   svc,
		first: make(chan bool, 1),
		kept:  make(map[int64]*reservation),
	}
	r.first <- false
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.wg.Add(2)
	go r.recvLoop()
	go r.sendLoop()
	return r
}

// Keep keeps a reservation alive. The answers come from the channel, which is
// closed when the reservation is gone or the renewer is closed. Answers that
// are not taken are dropped.
func (r *Renewer) Keep(id int64) (<-chan Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	k := r.kept[id]
	if k == nil {
		k = &reservation{answers: make(chan Answer, 4), next: time.Now()}
		r.kept[id] = k
	}
	return k.answers, nil
}

// Forget lets a reservation run out.
func (r *Renewer) Forget(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.kept[id]; k != nil {
		close(k.answers)
		delete(r.kept, id)
	}
}

// current returns the stream in use, or nil.
func (r *Renewer) current() Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

// openStream opens a stream and puts it in the place of the present one, which
// is ended.
func (r *Renewer) openStream() error {
	ctx, cancel := context.WithCancel(r.ctx)
	s, err := r.svc.Open(ctx)
	if err != nil {
		cancel()
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cancel()
		return ErrClosed
	}
	if r.stream != nil {
		_ = r.stream.CloseSend()
		r.streamCancel()
	}
	r.stream, r.streamCancel = s, cancel
	return nil
}

// replace opens a new stream because broken has failed, unless somebody else
// has done it.
func (r *Renewer) replace(broken Stream) error {
	r.reopen.Lock()
	defer r.reopen.Unlock()
	if r.current() != broken {
		return r.ctx.Err()
	}
	return r.openStream()
}

// firstStream makes sure that there is a stream. It is called by both loops,
// for either may be the first that runs.
func (r *Renewer) firstStream() bool {
	opened := <-r.first
	if !opened {
		opened = r.openStream() == nil
	}
	r.first <- opened
	return opened
}

func (r *Renewer) recvLoop() {
	defer r.wg.Done()
	if !r.firstStream() {
		r.shut()
		return
	}
	for {
		s := r.current()
		if s == nil {
			return
		}
		a, err := s.Recv()
		if err != nil {
			if r.replace(s) != nil {
				r.shut()
				return
			}
			continue
		}
		r.answered(a)
	}
}

// answered hands on an answer and sets the time of the next renewal.
func (r *Renewer) answered(a Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kept[a.ID]
	if k == nil {
		return
	}
	if a.TTL <= 0 {
		close(k.answers)
		delete(r.kept, a.ID)
		return
	}
	k.next = time.Now().Add(a.TTL / 3)
	select {
	case k.answers <- a:
	default:
	}
}

func (r *Renewer) sendLoop() {
	defer r.wg.Done()
	if !r.firstStream() {
		r.shut()
		return
	}
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-r.ctx.Done():
			return
		}
		ids := r.due(time.Now())
		s := r.current()
		if s == nil {
			return
		}
		for _, id := range ids {
			if err := s.Send(id); err != nil {
				if r.replace(s) != nil {
					r.shut()
					return
				}
				break // what was not sent is due again
			}
		}
	}
}

// due returns the reservations that have to be renewed.
func (r *Renewer) due(now time.Time) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []int64
	for id, k := range r.kept {
		if !k.next.After(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// shut ends the stream and everything that is kept.
func (r *Renewer) shut() {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	if r.stream != nil {
		r.streamCancel()
	}
	r.stream, r.streamCancel = nil, nil
	for id, k := range r.kept {
		close(k.answers)
		delete(r.kept, id)
	}
}

// Close ends the renewer and waits for its goroutines.
func (r *Renewer) Close() {
	r.shut()
	r.wg.Wait()
}
