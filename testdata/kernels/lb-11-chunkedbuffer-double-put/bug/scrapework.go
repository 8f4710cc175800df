package promscrape

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// ScrapeWork represents a unit of work for scraping Prometheus metrics.
type ScrapeWork struct {
	// Full URL (including query args) for the scrape.
	ScrapeURL string

	// Interval for scraping the ScrapeURL.
	ScrapeInterval time.Duration

	jobName string
}

type scrapeWork struct {
	// Config for the scrape.
	Config *ScrapeWork

	// ReadData is called for reading the scrape response data into dst.
	ReadData func(dst *Buffer) (bool, error)

	// PushData is called for pushing collected data.
	PushData func(body []byte)

	// prevBodyLen contains the previous response body length for the given scrape work.
	// It is used as a hint in order to reduce memory usage for body buffers.
	prevBodyLen int
}

func newScrapeWork(cfg *ScrapeWork, pushData func(body []byte)) *scrapeWork {
	sw := &scrapeWork{
		Config:   cfg,
		PushData: pushData,
	}
	sw.ReadData = func(dst *Buffer) (bool, error) {
		resp, err := http.Get(cfg.ScrapeURL)
		if err != nil {
			return false, fmt.Errorf("cannot perform request to %q: %w", cfg.ScrapeURL, err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(dst, resp.Body); err != nil {
			return false, fmt.Errorf("cannot read data from %s: %w", cfg.ScrapeURL, err)
		}
		return resp.Header.Get("Content-Encoding") == "gzip", nil
	}
	return sw
}

func (sw *scrapeWork) run(stopCh <-chan struct{}) {
	ticker := time.NewTicker(sw.Config.ScrapeInterval)
	defer ticker.Stop()
	for {
		select {
		case <-stopCh:
			return
		case <-ticker.C:
			_ = sw.scrapeInternal()
		}
	}
}

// getTargetResponse() fetches response from sw target in the same way as when scraping the target.
func (sw *scrapeWork) getTargetResponse() ([]byte, error) {
	cb := getBuffer()
	defer putBuffer(cb)

	isGzipped, err := sw.ReadData(cb)
	if err != nil {
		return nil, err
	}

	var body []byte
	body, err = readFromBuffer(nil, cb, isGzipped)
	putBuffer(cb)
	return body, err
}

func (sw *scrapeWork) scrapeInternal() error {
	// Read the whole scrape response into cb.
	// It is OK to do this for stream parsing mode, since the most of RAM
	// is occupied during parsing of the read response body below.
	cb := getBuffer()
	isGzipped, err := sw.ReadData(cb)

	// Copy the read scrape response to body in order to parse it and send
	// the parsed results to remote storage.
	body := make([]byte, 0, sw.prevBodyLen)
	if err == nil {
		body, err = readFromBuffer(body, cb, isGzipped)
	}
	putBuffer(cb)
	if err != nil {
		return err
	}

	sw.prevBodyLen = len(body)
	sw.PushData(body)
	return nil
}

func readFromBuffer(dst []byte, src *Buffer, isGzipped bool) ([]byte, error) {
	var r io.Reader = src.NewReader()
	if isGzipped {
		zr, err := gzip.NewReader(r)
		if err != nil {
			return dst, fmt.Errorf("cannot ungzip response: %w", err)
		}
		r = zr
	}
	data, err := io.ReadAll(r)
	return append(dst, data...), err
}

// scraperGroup runs the scrapers of a config section.
type scraperGroup struct {
	wg       sync.WaitGroup
	mLock    sync.Mutex
	m        map[string]*scrapeWork
	cancels  map[string]context.CancelFunc
	pushData func(body []byte)
}

func newScraperGroup(pushData func(body []byte)) *scraperGroup {
	return &scraperGroup{
		m:        make(map[string]*scrapeWork),
		cancels:  make(map[string]context.CancelFunc),
		pushData: pushData,
	}
}

func (sg *scraperGroup) update(sws []*ScrapeWork) {
	sg.mLock.Lock()
	defer sg.mLock.Unlock()

	for _, cfg := range sws {
		if _, ok := sg.m[cfg.ScrapeURL]; ok {
			continue
		}
		sw := newScrapeWork(cfg, sg.pushData)
		ctx, cancel := context.WithCancel(context.Background())
		sg.m[cfg.ScrapeURL] = sw
		sg.cancels[cfg.ScrapeURL] = cancel
		sg.wg.Add(1)
		go func() {
			defer sg.wg.Done()
			sw.run(ctx.Done())
		}()
	}
}

// WriteTargetResponse serves requests to /target_response?url=<...>
//
// It fetches response for the given target.
func (sg *scraperGroup) WriteTargetResponse(w http.ResponseWriter, r *http.Request) {
	sg.mLock.Lock()
	sw := sg.m[r.FormValue("url")]
	sg.mLock.Unlock()
	if sw == nil {
		http.Error(w, "cannot find target", http.StatusNotFound)
		return
	}
	data, err := sw.getTargetResponse()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(data)
}
