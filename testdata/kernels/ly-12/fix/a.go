package a

import (
	"context"
	"errors"
	"sync"
)

var ErrElectionNotLeader = errors.New("election: not leader")

type LeaseID int64

type keyValue struct {
	value     string
	createRev int64
	lease     LeaseID
}

// Client is a connection to the key-value store.
type Client struct {
	mu      sync.Mutex
	rev     int64
	kvs     map[string]*keyValue
	changed chan struct{} // closed and replaced by every change
}

func NewClient() *Client {
	return &Client{kvs: map[string]*keyValue{}, changed: make(chan struct{})}
}

// notify tells the waiters about a change. c.mu must be held.
func (c *Client) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Get returns the value of a key.
func (c *Client) Get(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kv := c.kvs[key]
	if kv == nil {
		return "", false
	}
	return kv.value, true
}

// Delete deletes a key.
func (c *Client) Delete(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kvs[key]; ok {
		c.rev++
		delete(c.kvs, key)
		c.notify()
	}
}

// Op is an operation of a transaction on a key.
type Op func(c *Client, key string)

func OpPut(value string, lease LeaseID) Op {
	return func(c *Client, key string) {
		kv := c.kvs[key]
		if kv == nil {
			kv = &keyValue{createRev: c.rev}
			c.kvs[key] = kv
		}
		kv.value, kv.lease = value, lease
	}
}

func OpDelete() Op {
	return func(c *Client, key string) { delete(c.kvs, key) }
}

// Txn applies op if the create revision of key is createRev, 0 meaning that
// the key does not exist. It returns the revision of the transaction, and a
// channel that is closed by the next change.
func (c *Client) Txn(key string, createRev int64, op Op) (rev int64, ok bool, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var cur int64
	if kv := c.kvs[key]; kv != nil {
		cur = kv.createRev
	}
	if cur != createRev {
		return c.rev, false, c.changed
	}
	c.rev++
	op(c, key)
	c.notify()
	return c.rev, true, c.changed
}

// Expire is called by the lessor when nobody has kept a lease alive.
func (c *Client) Expire(lease LeaseID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, kv := range c.kvs {
		if kv.lease == lease {
			c.rev++
			delete(c.kvs, key)
		}
	}
	c.notify()
}

// Election is one candidate. It is used by one goroutine.
type Election struct {
	client *Client
	lease  LeaseID
	key    string

	leaderKey string
	leaderRev int64
}

// NewElection returns a new candidate for the election on a given key.
func NewElection(c *Client, lease LeaseID, key string) *Election {
	return &Election{client: c, lease: lease, key: key}
}

// Campaign puts a value as eligible for the election. It blocks until
// it is elected or the context is cancelled.
func (e *Election) Campaign(ctx context.Context, val string) error {
	for {
		rev, ok, changed := e.client.Txn(e.key, 0, OpPut(val, e.lease))
		if ok {
			e.leaderKey, e.leaderRev = e.key, rev
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Proclaim lets the leader announce a new value without another election.
func (e *Election) Proclaim(val string) error {
	if e.leaderKey == "" {
		return ErrElectionNotLeader
	}
	if _, ok, _ := e.client.Txn(e.leaderKey, e.leaderRev, OpPut(val, e.lease)); !ok {
		e.leaderKey = ""
		return ErrElectionNotLeader
	}
	return nil
}

// Resign lets a leader start a new election.
func (e *Election) Resign() {
	if e.leaderKey == "" {
		return
	}
	e.client.Txn(e.leaderKey, e.leaderRev, OpDelete())
	e.leaderKey = ""
}

// Lead runs work as the leader.
func Lead(ctx context.Context, c *Client, lease LeaseID, key, name string, work func(context.Context)) error {
	e := NewElection(c, lease, key)
	if err := e.Campaign(ctx, name); err != nil {
		return err
	}
	defer e.Resign()
	work(ctx)
	return nil
}
