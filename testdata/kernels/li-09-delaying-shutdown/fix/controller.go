package workqueue

import (
	"log"
	"sync"
	"time"
)

// Controller processes the keys of a queue with some workers.
type Controller struct {
	queue DelayingInterface
	sync  func(key string) error
}

// NewController returns a controller that calls sync for its keys.
func NewController(sync func(key string) error) *Controller {
	return &Controller{queue: NewDelayingQueue(), sync: sync}
}

// Enqueue schedules a key.
func (c *Controller) Enqueue(key string) {
	c.queue.Add(key)
}

// Run starts the workers and blocks until stopCh is closed or the lead is lost.
func (c *Controller) Run(workers int, stopCh, lostLead <-chan struct{}) {
	defer c.queue.ShutDown()

	go func() {
		select {
		case <-lostLead:
			log.Print("lost lead, draining the queue")
			c.queue.ShutDown()
		case <-stopCh:
		}
	}()

	var wg sync.WaitGroup
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.worker()
		}()
	}

	select {
	case <-stopCh:
	case <-lostLead:
		wg.Wait()
	}
}

func (c *Controller) worker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.sync(key.(string)); err != nil {
			c.queue.AddAfter(key, time.Second)
		}
		c.queue.Done(key)
	}
}
