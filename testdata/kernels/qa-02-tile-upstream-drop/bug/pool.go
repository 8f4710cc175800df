// Package tilepool keeps one connection per map region to the renderers that
// own the region.
package tilepool

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"sync"
	"time"
)

const (
	shardCount = 16
	maxTile    = 4 << 20
)

// ErrTooLarge is returned for a frame above the limit.
var ErrTooLarge = errors.New("tilepool: tile too large")

// Locator finds the renderer of a region.
type Locator interface {
	Locate(ctx context.Context, region string) (addr string, err error)
}

// TileID names a tile in a region.
type TileID struct {
	Z uint8
	X uint32
	Y uint32
}

// upstream is a connection to a renderer. The protocol has no request ids, so
// requests take turns.
type upstream struct {
	mu   sync.Mutex
	conn net.Conn
	rd   *bufio.Reader
}

func (u *upstream) fetch(id TileID, deadline time.Time) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	var req [9]byte
	req[0] = id.Z
	binary.BigEndian.PutUint32(req[1:], id.X)
	binary.BigEndian.PutUint32(req[5:], id.Y)
	if _, err := u.conn.Write(req[:]); err != nil {
		return nil, err
	}
	var size uint32
	if err := binary.Read(u.rd, binary.BigEndian, &size); err != nil {
		return nil, err
	}
	if size > maxTile {
		return nil, ErrTooLarge
	}
	buf := make([]byte, size)
	_, err := io.ReadFull(u.rd, buf)
	return buf, err
}

type shard struct {
	sync.Mutex
	conns map[string]*upstream
}

// Pool is safe for concurrent use.
type Pool struct {
	locator Locator
	dialer  net.Dialer
	retries int
	timeout time.Duration
	shards  [shardCount]shard
}

// Option changes a Pool.
type Option func(*Pool)

// WithRetries sets how often a tile is asked for again.
func WithRetries(n int) Option { return func(p *Pool) { p.retries = n } }

// WithTimeout bounds one request.
func WithTimeout(d time.Duration) Option { return func(p *Pool) { p.timeout = d } }

// New returns an empty pool.
func New(l Locator, opts ...Option) *Pool {
	p := &Pool{locator: l, retries: 2, timeout: 5 * time.Second}
	for i := range p.shards {
		p.shards[i].conns = make(map[string]*upstream)
	}
	for _, o := range opts {
		o(p)
	}
	return p
}

func (p *Pool) shard(region string) *shard {
	h := fnv.New32a()
	_, _ = io.WriteString(h, region)
	return &p.shards[h.Sum32()%shardCount]
}

// Fetch gets a tile. A region that moved to another renderer shows as an
// error of the connection; it is located again then.
func (p *Pool) Fetch(ctx context.Context, region string, id TileID) ([]byte, error) {
	var last error
	for range p.retries + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		up, err := p.upstream(region)
		if err != nil {
			last = err
			continue
		}
		tile, err := up.fetch(id, time.Now().Add(p.timeout))
		if err == nil {
			return tile, nil
		}
		last = err
		p.drop(region)
	}
	return nil, fmt.Errorf("tile %v of %s: %w", id, region, last)
}

func (p *Pool) upstream(region string) (*upstream, error) {
	sh := p.shard(region)
	sh.Lock()
	defer sh.Unlock()
	if up, ok := sh.conns[region]; ok {
		return up, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.timeout)
	defer cancel()
	addr, err := p.locator.Locate(ctx, region)
	if err != nil {
		return nil, fmt.Errorf("locate %s: %w", region, err)
	}
	conn, err := p.dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	up := &upstream{conn: conn, rd: bufio.NewReader(conn)}
	sh.conns[region] = up
	return up, nil
}

// drop forgets the connection of a region.
func (p *Pool) drop(region string) {
	sh := p.shard(region)
	sh.Lock()
	defer sh.Unlock()
	up, ok := sh.conns[region]
	if !ok {
		return
	}
	delete(sh.conns, region)
	_ = up.conn.Close()
}
