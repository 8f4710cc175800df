package rpc

// HeadWatcher follows the heads of a server.
type HeadWatcher struct {
	sub   *ClientSubscription
	heads chan Notification
	done  chan struct{}
	last  uint64
}

func WatchHeads(c *Client) (*HeadWatcher, error) {
	w := &HeadWatcher{heads: make(chan Notification, 16), done: make(chan struct{})}
	sub, err := c.Subscribe("eth", "newHeads", w.heads)
	if err != nil {
		return nil, err
	}
	w.sub = sub
	go w.loop()
	return w, nil
}

func (w *HeadWatcher) loop() {
	defer close(w.done)
	for head := range w.heads {
		w.last = head.Number
	}
}

// Stop ends the subscription and returns the last head seen.
func (w *HeadWatcher) Stop() uint64 {
	w.sub.Unsubscribe()
	close(w.heads)
	<-w.done
	return w.last
}
