package cache

import (
	"context"
	"slices"
)

// Client talks to the apiserver.
type Client interface {
	Create(ctx context.Context, obj *Object) (*Object, error)
	Update(ctx context.Context, obj *Object) (*Object, error)
	Delete(ctx context.Context, obj *Object) error
}

// Controller manages the slices of one driver.
type Controller struct {
	client     Client
	sliceStore *mutationCache
	queue      chan string
	desired    map[string][]string // pool name -> devices, immutable
}

// EventHandler has the handlers that the informer calls in its own goroutine,
// after it has updated the store.
type EventHandler struct {
	AddFunc    func(obj *Object)
	UpdateFunc func(old, obj *Object)
	DeleteFunc func(obj *Object)
}

// StartController starts the worker and returns the event handler for the informer.
func StartController(ctx context.Context, client Client, sliceStore *mutationCache, desired map[string][]string) *EventHandler {
	c := &Controller{
		client:     client,
		sliceStore: sliceStore,
		queue:      make(chan string, 100),
		desired:    desired,
	}
	go c.run(ctx)
	return &EventHandler{
		AddFunc: func(slice *Object) {
			c.sliceStore.OnAddOrUpdate(slice)
			c.enqueue(ctx, slice.Pool)
		},
		UpdateFunc: func(old, slice *Object) {
			c.sliceStore.OnAddOrUpdate(slice)
			c.enqueue(ctx, slice.Pool)
		},
		DeleteFunc: func(slice *Object) {
			c.sliceStore.OnDelete(slice)
			c.enqueue(ctx, slice.Pool)
		},
	}
}

func (c *Controller) enqueue(ctx context.Context, pool string) {
	select {
	case c.queue <- pool:
	case <-ctx.Done():
	}
}

// run is running in the background.
func (c *Controller) run(ctx context.Context) {
	for {
		select {
		case pool := <-c.queue:
			if err := c.syncPool(ctx, pool); err != nil {
				go c.enqueue(ctx, pool)
			}
		case <-ctx.Done():
			return
		}
	}
}

// syncPool processes one pool. Only runs inside a single worker, so there
// is no need for locking except when accessing the mutation cache.
func (c *Controller) syncPool(ctx context.Context, pool string) error {
	current := c.sliceStore.ByPool(pool)
	devices, wanted := c.desired[pool]

	found := false
	for _, slice := range current {
		if !wanted || found {
			if err := c.client.Delete(ctx, slice); err != nil {
				return err
			}
			continue
		}
		found = true
		if slices.Equal(slice.Devices, devices) {
			continue
		}
		update := *slice
		update.Devices = devices
		slice, err := c.client.Update(ctx, &update)
		if err != nil {
			return err
		}
		c.sliceStore.Mutation(slice)
	}
	if wanted && !found {
		slice, err := c.client.Create(ctx, &Object{Name: pool, Pool: pool, Devices: devices})
		if err != nil {
			return err
		}
		c.sliceStore.Mutation(slice)
	}
	return nil
}
