package writeconcurrencylimiter

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

var (
	maxConcurrentInserts = 8
	maxQueueDuration     = time.Minute

	concurrencyLimitReached atomic.Int64
	concurrencyLimitTimeout atomic.Int64

	errTooManyRequests = errors.New("cannot process insert request because of too many concurrent requests")
)

// Reader is a reader, which decreases the concurrency before every Read() call
// and increases the concurrency after Read() call.
//
// It effectively limits the number of concurrent goroutines,
// which may process results returned by concurrently processed Reader structs.
type Reader struct {
	r                    io.Reader
	increasedConcurrency bool
}

// GetReader returns the Reader for r.
//
// The PutReader() must be called when the returned Reader is no longer needed.
func GetReader(r io.Reader) (*Reader, error) {
	if err := IncConcurrency(); err != nil {
		return nil, err
	}

	v := readerPool.Get()
	if v == nil {
		v = &Reader{}
	}
	rr := v.(*Reader)
	rr.r = r
	rr.increasedConcurrency = true
	return rr, nil
}

// PutReader returns the r to the pool.
//
// It decreases the concurrency.
func PutReader(r *Reader) {
	r.r = nil
	if r.increasedConcurrency {
		DecConcurrency()
		r.increasedConcurrency = false
	}
	readerPool.Put(r)
}

var readerPool sync.Pool

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.increasedConcurrency {
		DecConcurrency()
		r.increasedConcurrency = false
	}

	n, err := r.r.Read(p)

	if errC := IncConcurrency(); errC != nil {
		return n, errC
	}
	r.increasedConcurrency = true
	return n, err
}

func initConcurrencyLimitCh() {
	concurrencyLimitCh = make(chan struct{}, maxConcurrentInserts)
}

var (
	concurrencyLimitCh     chan struct{}
	concurrencyLimitChOnce sync.Once
)

// IncConcurrency obtains a concurrency token from -maxConcurrentInserts.
//
// The obtained token must be returned back via DecConcurrency() call.
func IncConcurrency() error {
	concurrencyLimitChOnce.Do(initConcurrencyLimitCh)

	select {
	case concurrencyLimitCh <- struct{}{}:
		return nil
	default:
	}

	concurrencyLimitReached.Add(1)
	t := time.NewTimer(maxQueueDuration)
	defer t.Stop()
	select {
	case concurrencyLimitCh <- struct{}{}:
		return nil
	case <-t.C:
		concurrencyLimitTimeout.Add(1)
		return errTooManyRequests
	}
}

// DecConcurrency returns the token obtained via IncConcurrency(), so other goroutines could obtain it.
func DecConcurrency() {
	<-concurrencyLimitCh
}

// Handle reads the request of a client.
func Handle(body io.Reader, add func(b []byte)) error {
	r, err := GetReader(body)
	if err != nil {
		return err
	}
	defer PutReader(r)
	buf := make([]byte, 64*1024)
	for {
		n, err := r.Read(buf)
		add(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
