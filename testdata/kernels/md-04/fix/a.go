package a

import (
	"context"
	"errors"
	"fmt"
)

var (
	ErrSessionExpired = errors.New("mutex: session is expired")
)

type LeaseID int64

type KeyValue struct {
	Key            string
	CreateRevision int64
}

type TxnResponse struct {
	Succeeded bool
	Revision  int64
	Mine      *KeyValue
	Owner     *KeyValue
}

// Client talks to the cluster; keys that are attached to a lease are removed
// by the cluster when the lease expires.
type Client interface {
	// PutIfAbsent creates key under the lease if it does not exist and
	// returns the key with the oldest revision below prefix as Owner.
	PutIfAbsent(ctx context.Context, key string, id LeaseID, prefix string) (*TxnResponse, error)
	Get(ctx context.Context, key string) ([]KeyValue, error)
	Delete(ctx context.Context, key string) error
	// LastBelow returns the newest key below prefix with a create revision of
	// at most maxRev, or nil.
	LastBelow(ctx context.Context, prefix string, maxRev int64) (*KeyValue, error)
	WaitDelete(ctx context.Context, key string, rev int64) error
	Ctx() context.Context
}

type Session struct {
	client Client
	id     LeaseID
}

func NewSession(c Client, id LeaseID) *Session { return &Session{c, id} }

func (s *Session) Client() Client { return s.client }

func (s *Session) Lease() LeaseID { return s.id }

// Mutex is a distributed lock among the sessions of a cluster.
type Mutex struct {
	s   *Session
	pfx string
}

// Ownership identifies the entry that holds a Mutex.
type Ownership struct {
	Key string
	Rev int64
}

func NewMutex(s *Session, pfx string) *Mutex {
	return &Mutex{s, pfx + "/"}
}

// Lock locks the mutex with a cancelable context. If the context is canceled
// while trying to acquire the lock, the mutex tries to clean its stale lock entry.
func (m *Mutex) Lock(ctx context.Context) (*Ownership, error) {
	my, owner, err := m.tryAcquire(ctx)
	if err != nil {
		return nil, err
	}
	if owner == nil || owner.CreateRevision == my.Rev {
		return my, nil
	}
	client := m.s.Client()
	// wait for deletion revisions prior to my key
	werr := waitDeletes(ctx, client, m.pfx, my.Rev-1)
	// release lock key if wait failed
	if werr != nil {
		m.Unlock(client.Ctx(), my)
		return nil, werr
	}

	// make sure the session is not expired, and the owner key still exists.
	kvs, err := client.Get(ctx, my.Key)
	if err != nil {
		m.Unlock(client.Ctx(), my)
		return nil, err
	}
	if len(kvs) == 0 || kvs[0].CreateRevision != my.Rev { // is the session key lost?
		return nil, ErrSessionExpired
	}
	return my, nil
}

func (m *Mutex) tryAcquire(ctx context.Context) (*Ownership, *KeyValue, error) {
	my := &Ownership{Key: fmt.Sprintf("%s%x", m.pfx, m.s.Lease())}
	resp, err := m.s.Client().PutIfAbsent(ctx, my.Key, m.s.Lease(), m.pfx)
	if err != nil {
		return nil, nil, err
	}
	my.Rev = resp.Revision
	if !resp.Succeeded {
		my.Rev = resp.Mine.CreateRevision
	}
	return my, resp.Owner, nil
}

func (m *Mutex) Unlock(ctx context.Context, my *Ownership) error {
	return m.s.Client().Delete(ctx, my.Key)
}

func waitDeletes(ctx context.Context, client Client, pfx string, maxCreateRev int64) error {
	for {
		kv, err := client.LastBelow(ctx, pfx, maxCreateRev)
		if err != nil || kv == nil {
			return err
		}
		if err := client.WaitDelete(ctx, kv.Key, kv.CreateRevision); err != nil {
			return err
		}
	}
}
