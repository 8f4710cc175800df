package kclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrNoLeader is returned while the leader of a partition is unknown.
var ErrNoLeader = errors.New("kclient: no leader for partition")

// Conn is a connection to a broker.
type Conn interface {
	Call(ctx context.Context, req []byte) ([]byte, error)
	Close() error
}

// DialFunc connects to a broker.
type DialFunc func(ctx context.Context, addr string) (Conn, error)

// Broker is one node of the cluster. The connection is opened on first use.
type Broker struct {
	id   int32
	addr string
	dial DialFunc

	mu     sync.Mutex
	conn   Conn
	closed bool
}

func (b *Broker) connect(ctx context.Context) (Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, fmt.Errorf("kclient: broker %d closed", b.id)
	}
	if b.conn == nil {
		c, err := b.dial(ctx, b.addr)
		if err != nil {
			return nil, err
		}
		b.conn = c
	}
	return b.conn, nil
}

// Send sends one request and returns the reply.
func (b *Broker) Send(ctx context.Context, req []byte) ([]byte, error) {
	c, err := b.connect(ctx)
	if err != nil {
		return nil, err
	}
	return c.Call(ctx, req)
}

// Close closes the connection. The broker is of no use afterwards.
func (b *Broker) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.conn == nil {
		return nil
	}
	err := b.conn.Close()
	b.conn = nil
	return err
}

// Metadata is the cluster as a broker describes it.
type Metadata struct {
	Brokers map[int32]string
	Leaders map[int32]int32 // partition to broker id
}

// Client talks to the brokers of a cluster.
type Client struct {
	dial DialFunc

	mu      sync.RWMutex
	brokers map[int32]*Broker
	leaders map[int32]int32
}

// NewClient returns a client that refreshes its metadata until ctx is done.
func NewClient(ctx context.Context, dial DialFunc, fetch func(context.Context) (Metadata, error), every time.Duration) *Client {
	c := &Client{
		dial:    dial,
		brokers: make(map[int32]*Broker),
		leaders: make(map[int32]int32),
	}
	go func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			if md, err := fetch(ctx); err != nil {
				slog.Warn("kclient: metadata", "err", err)
			} else {
				c.update(md)
			}
			select {
			case <-t.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return c
}

func (c *Client) update(md Metadata) {
	var stale []*Broker
	c.mu.Lock()
	for id, addr := range md.Brokers {
		old := c.brokers[id]
		if old != nil && old.addr == addr {
			continue
		}
		if old != nil {
			stale = append(stale, old)
		}
		c.brokers[id] = &Broker{id: id, addr: addr, dial: c.dial}
	}
	clear(c.leaders)
	for p, id := range md.Leaders {
		c.leaders[p] = id
	}
	c.mu.Unlock()
	closeAll(stale)
}

func closeAll(bs []*Broker) {
	for _, b := range bs {
		if err := b.Close(); err != nil {
			slog.Debug("kclient: close", "broker", b.id, "err", err)
		}
	}
}

func (c *Client) leader(partition int32) (*Broker, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	id, ok := c.leaders[partition]
	if !ok {
		return nil, ErrNoLeader
	}
	b, ok := c.brokers[id]
	if !ok {
		return nil, ErrNoLeader
	}
	return b, nil
}

// deregister forgets a broker that fails.
func (c *Client) deregister(b *Broker) {
	c.mu.Lock()
	delete(c.brokers, b.id)
	c.mu.Unlock()
	_ = b.Close()
}

// Fetch sends a fetch request to the leader of partition.
func (c *Client) Fetch(ctx context.Context, partition int32, req []byte) ([]byte, error) {
	b, err := c.leader(partition)
	if err != nil {
		return nil, err
	}
	resp, err := b.Send(ctx, req)
	if err != nil {
		c.deregister(b)
		return nil, fmt.Errorf("kclient: fetch from broker %d: %w", b.id, err)
	}
	return resp, nil
}
