// Package uploads takes files of tenants and writes them to the archive, within
// the tenant's quota. Archived files are permanent, so usage only grows.
package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	// ErrQuota is returned when a file does not fit into the quota.
	ErrQuota = errors.New("uploads: quota exceeded")
	// ErrTenant is returned for a tenant without a quota.
	ErrTenant = errors.New("uploads: unknown tenant")
	// ErrTooLong is returned when more bytes arrive than were announced.
	ErrTooLong = errors.New("uploads: file longer than announced")
)

// Archive stores a file. A file whose Write failed is not kept.
type Archive interface {
	Write(ctx context.Context, tenant, name string, r io.Reader) (int64, error)
}

// Usage is the state of a quota.
type Usage struct {
	Limit    int64
	Used     int64 // bytes in the archive
	Reserved int64 // bytes of uploads in progress
}

// quota is the account of one tenant. Used and Reserved together are within
// Limit when a reservation is made.
type quota struct {
	mu    sync.Mutex
	usage Usage
}

// reserve sets n bytes aside.
func (q *quota) reserve(n int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if free := q.usage.Limit - q.usage.Used - q.usage.Reserved; n > free {
		return fmt.Errorf("%w: %d bytes wanted, %d free", ErrQuota, n, free)
	}
	q.usage.Reserved += n
	return nil
}

// settle ends a reservation of n bytes, of which used went to the archive.
func (q *quota) settle(n, used int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Reserved -= n
	q.usage.Used += used
}

func (q *quota) setLimit(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Limit = n
}

func (q *quota) get() Usage {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.usage
}

// Service accepts uploads. It is safe for concurrent use.
type Service struct {
	archive Archive

	mu      sync.RWMutex
	tenants map[string]*quota
}

// NewService returns a service without tenants.
func NewService(a Archive) *Service {
	return &Service{archive: a, tenants: make(map[string]*quota)}
}

// SetLimit sets the quota of a tenant. A lower limit than what is in use only
// keeps further uploads out.
func (s *Service) SetLimit(tenant string, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q, ok := s.tenants[tenant]; ok {
		q.setLimit(bytes)
		return
	}
	s.tenants[tenant] = &quota{usage: Usage{Limit: bytes}}
}

// Usage returns the state of the tenant's quota.
func (s *Service) Usage(tenant string) (Usage, error) {
	q, err := s.quota(tenant)
	if err != nil {
		return Usage{}, err
	}
	return q.get(), nil
}

// Upload archives a file that was announced with a size. A file that turns
// out shorter is charged as what it is.
func (s *Service) Upload(ctx context.Context, tenant, name string, size int64, body io.Reader) error {
	if size < 0 {
		return fmt.Errorf("uploads: size %d", size)
	}
	q, err := s.quota(tenant)
	if err != nil {
		return err
	}
	if err := q.reserve(size); err != nil {
		return err
	}
	n, err := s.archive.Write(ctx, tenant, name, &exact{r: body, left: size})
	if err != nil {
		q.settle(size, 0)
		return fmt.Errorf("uploads: %s: %w", name, err)
	}
	q.settle(size, n)
	return nil
}

func (s *Service) quota(tenant string) (*quota, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	q, ok := s.tenants[tenant]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrTenant, tenant)
	}
	return q, nil
}

// exact reads up to left bytes and fails if there are more.
type exact struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (e *exact) Read(p []byte) (int, error) {
	if int64(len(p)) > e.left+1 {
		p = p[:e.left+1]
	}
	n, err := e.r.Read(p)
	if int64(n) > e.left {
		return 0, ErrTooLong
	}
	e.left -= int64(n)
	return n, err
}
