// Package producer sends batches to the leaders of partitions.
package producer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoLeader is returned while a partition has no known leader.
var ErrNoLeader = errors.New("producer: no leader")

// Conn is a connection pool to brokers.
type Conn interface {
	Produce(ctx context.Context, addr string, epoch int32, topic string, part int, batch []byte) error
	Metadata(ctx context.Context, topics []string) ([]PartitionInfo, error)
}

// PartitionInfo is what a broker tells about a partition.
type PartitionInfo struct {
	Topic     string
	Partition int
	Leader    string
	Epoch     int32
}

type key struct {
	topic string
	part  int
}

// partition is the cached leadership of one partition. Only the refresh loop changes it.
type partition struct {
	addr  atomic.Pointer[string]
	epoch atomic.Int32
	sent  atomic.Int64
}

func (p *partition) setLeader(addr string, epoch int32) {
	p.epoch.Store(epoch)
	p.addr.Store(&addr)
}

func (p *partition) leader() (string, int32, bool) {
	addr := p.addr.Load()
	if addr == nil || *addr == "" {
		return "", 0, false
	}
	return *addr, p.epoch.Load(), true
}

// Producer routes batches by the cached metadata.
type Producer struct {
	conn   Conn
	topics []string
	parts  sync.Map // key -> *partition
	stale  chan struct{}
}

// New starts a producer whose metadata is refreshed until ctx ends.
func New(ctx context.Context, conn Conn, topics []string, every time.Duration) (*Producer, error) {
	p := &Producer{conn: conn, topics: topics, stale: make(chan struct{}, 1)}
	if err := p.refresh(ctx); err != nil {
		return nil, err
	}
	go p.refreshLoop(ctx, every)
	return p, nil
}

func (p *Producer) partition(k key) *partition {
	if v, ok := p.parts.Load(k); ok {
		return v.(*partition)
	}
	v, _ := p.parts.LoadOrStore(k, new(partition))
	return v.(*partition)
}

func (p *Producer) refresh(ctx context.Context) error {
	infos, err := p.conn.Metadata(ctx, p.topics)
	if err != nil {
		return fmt.Errorf("producer: metadata: %w", err)
	}
	for _, in := range infos {
		p.partition(key{in.Topic, in.Partition}).setLeader(in.Leader, in.Epoch)
	}
	return nil
}

func (p *Producer) refreshLoop(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.stale:
		}
		if err := p.refresh(ctx); err != nil {
			slog.Warn("metadata refresh", "err", err)
		}
	}
}

// Send writes a batch to the leader of its partition.
func (p *Producer) Send(ctx context.Context, topic string, part int, batch []byte) error {
	pt := p.partition(key{topic, part})
	addr, epoch, ok := pt.leader()
	if !ok {
		p.markStale()
		return fmt.Errorf("%w: %s/%d", ErrNoLeader, topic, part)
	}
	if err := p.conn.Produce(ctx, addr, epoch, topic, part, batch); err != nil {
		p.markStale()
		return fmt.Errorf("producer: %s/%d: %w", topic, part, err)
	}
	pt.sent.Add(1)
	return nil
}

func (p *Producer) markStale() {
	select {
	case p.stale <- struct{}{}:
	default:
	}
}
