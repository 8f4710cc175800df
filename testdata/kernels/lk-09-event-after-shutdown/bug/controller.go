package record

import (
	"context"
	"sync"
)

// Controller takes keys from a channel and tells what it did by events.
type Controller struct {
	keys     <-chan string
	sync     func(key string) error
	workers  int
	recorder *EventRecorder
}

func NewController(keys <-chan string, sync func(string) error, workers int, b *EventBroadcaster) *Controller {
	return &Controller{keys: keys, sync: sync, workers: workers, recorder: b.NewRecorder("controller")}
}

// Run starts the workers and returns when all have ended.
func (c *Controller) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for i := 0; i < c.workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.worker(ctx)
		}()
	}
	wg.Wait()
}

func (c *Controller) worker(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-c.keys:
			if err := c.sync(key); err != nil {
				c.recorder.Eventf(key, "Warning", "FailedSync", "cannot sync: %v", err)
				continue
			}
			c.recorder.Eventf(key, "Normal", "Synced", "object synced")
		}
	}
}

// RunController runs a controller with a broadcaster of its own.
func RunController(ctx context.Context, keys <-chan string, sync func(string) error, sink EventSink) {
	b := NewBroadcaster()
	b.StartRecordingToSink(sink)
	c := NewController(keys, sync, 4, b)
	c.Run(ctx)
	b.Shutdown()
}
