package broker

import (
	"context"
	"errors"
	"sync"
)

var ErrClosed = errors.New("broker: topic closed")

type Topic struct {
	sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	outs    []chan []byte
	dropped int
}

func NewTopic() *Topic {
	t := new(Topic)
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

func (t *Topic) Subscribe(depth int) (<-chan []byte, error) {
	t.Lock()
	defer t.Unlock()
	if err := t.ctx.Err(); err != nil {
		return nil, ErrClosed
	}
	out := make(chan []byte, depth)
	t.outs = append(t.outs, out)
	return out, nil
}

func (t *Topic) Publish(msg []byte) error {
	payload := append([]byte(nil), msg...)

	t.Lock()
	defer t.Unlock()
	if err := t.ctx.Err(); err != nil {
		return ErrClosed
	}
	for _, out := range t.outs {
		select {
		case out <- payload:
		default:
			t.dropped++
		}
	}
	return nil
}

func (t *Topic) Close() {
	t.Lock()
	defer t.Unlock()
	if t.ctx.Err() != nil {
		return
	}
	t.cancel()
	for _, out := range t.outs {
		close(out)
	}
}

func (t *Topic) Dropped() int {
	t.Lock()
	defer t.Unlock()
	return t.dropped
}
