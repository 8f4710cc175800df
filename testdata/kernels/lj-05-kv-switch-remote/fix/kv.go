package clientv3

import (
	"context"
	"sync"
)

type KV interface {
	// Put puts a key-value pair into etcd.
	Put(ctx context.Context, key, val string) error

	// Get retrieves keys.
	Get(ctx context.Context, key string) (string, error)

	// Delete deletes a key.
	Delete(ctx context.Context, key string) error

	// Compact compacts etcd KV history before the given rev.
	Compact(ctx context.Context, rev string) error

	// Do applies a single Op on KV without a transaction.
	Do(ctx context.Context, op Op) (string, error)
}

type opType int

const (
	tRange opType = iota + 1
	tPut
	tDeleteRange
)

type Op struct {
	t        opType
	key, val string
}

func (op Op) isWrite() bool { return op.t != tRange }

func OpGet(key string) Op      { return Op{t: tRange, key: key} }
func OpPut(key, val string) Op { return Op{t: tPut, key: key, val: val} }
func OpDelete(key string) Op   { return Op{t: tDeleteRange, key: key} }

// kvClient is the client API for the KV service.
type kvClient struct{ cc *Conn }

func (r kvClient) Range(ctx context.Context, key string) (string, error) {
	return r.cc.invoke(ctx, "Range", key, "")
}

func (r kvClient) Put(ctx context.Context, key, val string) (string, error) {
	return r.cc.invoke(ctx, "Put", key, val)
}

func (r kvClient) DeleteRange(ctx context.Context, key string) (string, error) {
	return r.cc.invoke(ctx, "DeleteRange", key, "")
}

func (r kvClient) Compact(ctx context.Context, rev string) (string, error) {
	return r.cc.invoke(ctx, "Compact", rev, "")
}

type kv struct {
	c *Client

	mu     sync.Mutex // guards all fields
	conn   *Conn      // conn in-use
	remote kvClient
}

func NewKV(c *Client) KV {
	conn := c.ActiveConnection()
	return &kv{
		conn:   conn,
		remote: kvClient{conn},

		c: c,
	}
}

func (kv *kv) Put(ctx context.Context, key, val string) error {
	_, err := kv.Do(ctx, OpPut(key, val))
	return err
}

func (kv *kv) Get(ctx context.Context, key string) (string, error) {
	return kv.Do(ctx, OpGet(key))
}

func (kv *kv) Delete(ctx context.Context, key string) error {
	_, err := kv.Do(ctx, OpDelete(key))
	return err
}

func (kv *kv) Compact(ctx context.Context, rev string) error {
	remote := kv.getRemote()
	_, err := remote.Compact(ctx, rev)
	if err == nil {
		return nil
	}

	if isHalted(ctx, err) {
		return err
	}

	go kv.switchRemote(remote.cc, err)
	return err
}

func (kv *kv) Do(ctx context.Context, op Op) (string, error) {
	for {
		var resp string
		var err error
		remote := kv.getRemote()
		switch op.t {
		// TODO: handle other ops
		case tRange:
			resp, err = remote.Range(ctx, op.key)
		case tPut:
			resp, err = remote.Put(ctx, op.key, op.val)
		case tDeleteRange:
			resp, err = remote.DeleteRange(ctx, op.key)
		default:
			panic("Unknown op")
		}
		if err == nil {
			return resp, nil
		}

		if isHalted(ctx, err) {
			return "", err
		}

		// do not retry on modifications
		if op.isWrite() {
			go kv.switchRemote(remote.cc, err)
			return "", err
		}

		if nerr := kv.switchRemote(remote.cc, err); nerr != nil {
			return "", nerr
		}
	}
}

func (kv *kv) switchRemote(failed *Conn, prevErr error) error {
	// Usually it's a bad idea to lock on network i/o but here it's OK
	// since the link is down and new requests can't be processed anyway.
	// Likewise, if connecting stalls, closing the Client can break the
	// lock via context cancelation.
	kv.mu.Lock()
	defer kv.mu.Unlock()

	newConn, err := kv.c.retryConnection(failed, prevErr)
	if err != nil {
		return err
	}

	kv.conn = newConn
	kv.remote = kvClient{kv.conn}
	return nil
}

func (kv *kv) getRemote() kvClient {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	return kv.remote
}
