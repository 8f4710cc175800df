package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

var errContentRangeIgnored = errors.New("requested content range ignored")

// performances holds the settings of parallel layer fetching.
type performances struct {
	MaxConcurrentDownloads     int
	ConcurrentLayerFetchBuffer int
}

// limiter bounds the number of requests in flight to a registry.
type limiter chan struct{}

func newLimiter(n int) limiter { return make(limiter, n) }

func (l limiter) Acquire(ctx context.Context) error {
	if l == nil {
		return ctx.Err()
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l limiter) Release() {
	if l != nil {
		<-l
	}
}

type request struct {
	method string
	url    string
	header http.Header
	body   func() (io.ReadCloser, error)
	client *http.Client
}

func (r *request) clone() *request {
	res := *r
	res.header = r.header.Clone()
	return &res
}

func (r *request) setOffset(offset int64) {
	r.header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
}

func (r *request) setMediaType(mediatype string) {
	if mediatype == "" {
		r.header.Set("Accept", "*/*")
		return
	}
	r.header.Set("Accept", mediatype+", */*")
}

func (r *request) String() string {
	return r.method + " " + r.url
}

func (r *request) doWithRetries(ctx context.Context, checks ...func(*http.Response) error) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header = r.header
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("failed to do request: %w", err)
	}
	for _, check := range checks {
		if err := check(resp); err != nil {
			if errors.Is(err, errContentRangeIgnored) {
				return resp, err
			}
			resp.Body.Close()
			return nil, err
		}
	}
	return resp, nil
}

func withErrorCheck(resp *http.Response) error {
	if resp.StatusCode > 299 {
		return fmt.Errorf("unexpected status code %v", resp.Status)
	}
	return nil
}

func withOffsetCheck(offset int64) func(*http.Response) error {
	return func(resp *http.Response) error {
		if offset > 0 && resp.StatusCode == http.StatusOK {
			return errContentRangeIgnored
		}
		return nil
	}
}

type dockerFetcher struct {
	limiter
	performances performances
}

func (r dockerFetcher) open(ctx context.Context, req *request, mediatype string, offset int64) (io.ReadCloser, error) {
	parallelism, chunkSize := int64(r.performances.MaxConcurrentDownloads), int64(r.performances.ConcurrentLayerFetchBuffer)
	req.setMediaType(mediatype)
	req.header.Set("Accept-Encoding", "zstd;q=1.0, gzip;q=0.8, deflate;q=0.5")
	req.setOffset(offset)

	if err := r.Acquire(ctx); err != nil {
		return nil, err
	}
	resp, err := req.doWithRetries(ctx, withErrorCheck, withOffsetCheck(offset))
	switch err {
	case nil:
		// all good
	case errContentRangeIgnored:
		// remote host ignored content range, force parallelism to 1
		parallelism = 1
	default:
		r.Release()
		return nil, err
	}

	body := resp.Body

	remaining, _ := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 0)
	if parallelism > 1 && chunkSize > 512 && req.body == nil {
		// If we have a content length, we can use multiple requests to fetch
		// the content in parallel. This will make download of bigger bodies
		// faster, at the cost of parallelism more requests and max
		// ~(max_parallelism * goroutine footprint) memory usage. The goroutine
		// footprint should be: the goroutine stack + pipe buffer size
		numChunks := remaining / chunkSize
		if numChunks*chunkSize < remaining {
			numChunks++
		}
		if numChunks < parallelism {
			parallelism = numChunks
		}
		queue := make(chan int64, parallelism)
		stopChan := make(chan struct{})
		readers, writers := make([]io.Reader, numChunks), make([]*io.PipeWriter, numChunks)
		for i := range numChunks {
			readers[i], writers[i] = io.Pipe()
		}
		go func() {
			for i := range numChunks {
				queue <- i
			}
			close(queue)
		}()
		r.Release()
		for range parallelism {
			go func() {
				for i := range queue { // first in first out
					copy := func() error {
						if err := r.Acquire(ctx); err != nil {
							return err
						}
						defer r.Release()
						select {
						case <-stopChan:
							return errors.New("another worker failed")
						case <-ctx.Done():
							return ctx.Err()
						default:
						}
						if i == 0 {
							_, err := io.Copy(writers[i], io.LimitReader(resp.Body, chunkSize))
							_ = resp.Body.Close()
							_ = writers[i].CloseWithError(err)
							return nil
						}
						reqClone := req.clone()
						reqClone.setOffset(offset + i*chunkSize)
						nresp, err := reqClone.doWithRetries(ctx,
							withErrorCheck,
						)
						if err != nil {
							_ = writers[i].CloseWithError(err)
							select {
							case <-stopChan:
								return errors.New("another worker failed")
							default:
								close(stopChan)
							}
							return err
						}

						_, err = io.Copy(writers[i], io.LimitReader(nresp.Body, chunkSize))
						_ = nresp.Body.Close()
						_ = writers[i].CloseWithError(err)
						return nil
					}
					if copy() != nil {
						return
					}
				}
			}()
		}
		body = io.NopCloser(io.MultiReader(readers...))
	} else {
		body = &fnOnClose{
			BeforeClose: func() {
				r.Release()
			},
			ReadCloser: body,
		}
	}

	return body, nil
}

type fnOnClose struct {
	BeforeClose func()
	io.ReadCloser
}

// Close calls the BeforeClose function before closing the underlying
// ReadCloser.
func (f *fnOnClose) Close() error {
	f.BeforeClose()
	return f.ReadCloser.Close()
}

var _ io.ReadCloser = &fnOnClose{}
