package rpc

import (
	"context"
	"sync"
)

// HeadTracker remembers the newest head that the server has told.
type HeadTracker struct {
	sub   *ClientSubscription
	heads chan *Header
	wg    sync.WaitGroup

	mu   sync.Mutex
	head *Header
}

func NewHeadTracker(ctx context.Context, client *Client) (*HeadTracker, error) {
	heads := make(chan *Header)
	sub, err := client.Subscribe(ctx, "eth", heads, []string{"newHeads"})
	if err != nil {
		return nil, err
	}
	t := &HeadTracker{sub: sub, heads: heads}
	t.wg.Add(1)
	go t.loop()
	return t, nil
}

func (t *HeadTracker) loop() {
	defer t.wg.Done()
	for h := range t.heads {
		t.mu.Lock()
		if t.head == nil || h.Number > t.head.Number {
			t.head = h
		}
		t.mu.Unlock()
	}
}

// Head returns the newest head.
func (t *HeadTracker) Head() *Header {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.head
}

// Stop ends the tracking.
func (t *HeadTracker) Stop() {
	t.sub.Unsubscribe()
	close(t.heads)
	t.wg.Wait()
}
