// Package quota writes uploads of tenants within their limits.
package quota

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var (
	// ErrQuota is returned when a tenant has no room.
	ErrQuota = errors.New("quota: exceeded")
	// ErrBusy is returned when too many uploads are running.
	ErrBusy = errors.New("quota: too many uploads")
)

// Blobs stores uploads.
type Blobs interface {
	Create(ctx context.Context, tenant, name string) (io.WriteCloser, error)
	Delete(ctx context.Context, tenant, name string) error
}

type usage struct {
	sync.Mutex
	limit    int64
	used     int64
	reserved int64
}

func (u *usage) reserve(n int64) error {
	u.Lock()
	defer u.Unlock()
	if u.used+u.reserved+n > u.limit {
		return fmt.Errorf("%w: %d of %d used", ErrQuota, u.used+u.reserved, u.limit)
	}
	u.reserved += n
	return nil
}

// settle turns a reservation into what was really written.
func (u *usage) settle(reserved, written int64) {
	u.Lock()
	defer u.Unlock()
	u.reserved -= reserved
	u.used += written
}

// Uploader takes uploads.
type Uploader struct {
	blobs   Blobs
	max     int64
	running atomic.Int64
	tenants sync.Map // string -> *usage
	limit   int64
}

// NewUploader allows max uploads at a time and limit bytes for each tenant.
func NewUploader(b Blobs, max, limit int64) *Uploader {
	return &Uploader{blobs: b, max: max, limit: limit}
}

func (u *Uploader) usage(tenant string) *usage {
	v, ok := u.tenants.Load(tenant)
	if !ok {
		v, _ = u.tenants.LoadOrStore(tenant, &usage{limit: u.limit})
	}
	return v.(*usage)
}

func (u *Uploader) enter() error {
	if n := u.running.Add(1); n > u.max {
		u.running.Add(-1)
		return fmt.Errorf("%w: %d", ErrBusy, n-1)
	}
	return nil
}

func (u *Uploader) leave() { u.running.Add(-1) }

// Write stores an upload of at most size bytes and returns how long it was.
// Names are unique for each upload.
func (u *Uploader) Write(ctx context.Context, tenant, name string, size int64, body io.Reader) (int64, error) {
	if err := u.enter(); err != nil {
		return 0, err
	}
	defer u.leave()
	q := u.usage(tenant)
	if err := q.reserve(size); err != nil {
		return 0, err
	}
	n, err := u.copy(ctx, tenant, name, io.LimitReader(body, size))
	if err != nil {
		q.settle(size, 0)
		return 0, fmt.Errorf("upload %s/%s: %w", tenant, name, err)
	}
	q.settle(size, n)
	return n, nil
}

func (u *Uploader) copy(ctx context.Context, tenant, name string, body io.Reader) (n int64, err error) {
	w, err := u.blobs.Create(ctx, tenant, name)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(w, body)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, errors.Join(err, u.blobs.Delete(context.WithoutCancel(ctx), tenant, name))
	}
	return n, nil
}

// Free returns the bytes that a tenant may still reserve.
func (u *Uploader) Free(tenant string) int64 {
	q := u.usage(tenant)
	q.Lock()
	defer q.Unlock()
	return q.limit - q.used - q.reserved
}
