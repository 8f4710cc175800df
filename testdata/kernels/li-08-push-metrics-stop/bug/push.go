package vmapp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"time"
)

// PushOptions is the list of options, which may be applied to InitPushWithOptions().
type PushOptions struct {
	// ExtraLabels is an optional comma-separated list of `label="value"` labels, which must be added to all the metrics before pushing them to pushURL.
	ExtraLabels string

	// Optional HTTP request method to use when pushing metrics to pushURL.
	//
	// By default the Method is GET.
	Method string
}

// InitPushExtWithOptions sets up periodic push for metrics obtained by calling writeMetrics with the given interval.
//
// The periodic push is stopped when the ctx is canceled.
func InitPushExtWithOptions(ctx context.Context, pushURL string, interval time.Duration, writeMetrics func(w io.Writer), opts *PushOptions) error {
	pc, err := newPushContext(pushURL, opts)
	if err != nil {
		return err
	}

	// validate interval
	if interval <= 0 {
		return fmt.Errorf("interval must be positive; got %s", interval)
	}

	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		stopCh := ctx.Done()
		for {
			select {
			case <-ticker.C:
				ctxLocal, cancel := context.WithTimeout(context.Background(), interval+time.Second)
				err := pc.pushMetrics(ctxLocal, writeMetrics)
				cancel()
				if err != nil {
					log.Printf("ERROR: metrics.push: %s", err)
				}
			case <-stopCh:
				return
			}
		}
	}()

	return nil
}

type pushContext struct {
	pushURL     *url.URL
	method      string
	extraLabels string
	client      *http.Client
}

func newPushContext(pushURL string, opts *PushOptions) (*pushContext, error) {
	pu, err := url.Parse(pushURL)
	if err != nil {
		return nil, fmt.Errorf("cannot parse pushURL=%q: %w", pushURL, err)
	}
	if pu.Scheme != "http" && pu.Scheme != "https" {
		return nil, fmt.Errorf("unsupported scheme in pushURL=%q; expecting 'http' or 'https'", pushURL)
	}
	pc := &pushContext{pushURL: pu, method: http.MethodGet, client: &http.Client{}}
	if opts != nil {
		pc.extraLabels = opts.ExtraLabels
		if opts.Method != "" {
			pc.method = opts.Method
		}
	}
	return pc, nil
}

func (pc *pushContext) pushMetrics(ctx context.Context, writeMetrics func(w io.Writer)) error {
	var bb bytes.Buffer
	writeMetrics(&bb)
	if pc.extraLabels != "" {
		fmt.Fprintf(&bb, "# labels: %s\n", pc.extraLabels)
	}

	req, err := http.NewRequestWithContext(ctx, pc.method, pc.pushURL.String(), &bb)
	if err != nil {
		return fmt.Errorf("cannot initialize request for metrics push: %w", err)
	}
	req.Header.Set("Content-Type", "text/plain")
	resp, err := pc.client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot push metrics to %q: %w", pc.pushURL.Redacted(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("unexpected status code in response from %q: %d; expecting 2xx", pc.pushURL.Redacted(), resp.StatusCode)
	}
	return nil
}
