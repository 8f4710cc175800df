package topic

import (
	"container/list"
	"errors"
	"sync"
)

var (
	ErrFull   = errors.New("topic: full")
	ErrClosed = errors.New("topic: closed")
)

// Topic keeps messages until they are polled, up to about max bytes.
type Topic struct {
	max uint64

	mu     sync.Mutex
	msgs   *list.List
	bytes  uint64
	closed bool
}

func New(max uint64) *Topic {
	return &Topic{max: max, msgs: list.New()}
}

// admit appends msg; the topic takes messages as long as it is not full.
func (t *Topic) admit(msg []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if t.bytes >= t.max {
		return ErrFull
	}
	t.msgs.PushBack(msg)
	t.bytes += uint64(len(msg))
	return nil
}

// Publish appends a copy of msg.
func (t *Topic) Publish(msg []byte) error {
	own := append([]byte(nil), msg...)
	if err := t.admit(own); err != nil {
		return err
	}
	return nil
}

// Poll removes the oldest message.
func (t *Topic) Poll() (msg []byte, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.msgs.Front()
	if e == nil {
		return nil, false
	}
	msg = t.msgs.Remove(e).([]byte)
	t.bytes -= uint64(len(msg))
	return msg, true
}

// Backlog returns how many messages and bytes wait.
func (t *Topic) Backlog() (n int, bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.msgs.Len(), t.bytes
}

// Close refuses further messages.
func (t *Topic) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
}
