package rafthttp

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

type urlPicker struct {
	mu     sync.Mutex // guards urls and picked
	urls   []url.URL
	picked int
}

func newURLPicker(urls []url.URL) *urlPicker {
	return &urlPicker{
		urls: urls,
	}
}

func (p *urlPicker) update(urls []url.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.urls = urls
	p.picked = 0
}

func (p *urlPicker) pick() url.URL {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.urls[p.picked]
}

// unreachable notices the picker that the given url is unreachable,
// and it should use other possible urls.
func (p *urlPicker) unreachable(u url.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u == p.urls[p.picked] {
		p.picked = (p.picked + 1) % len(p.urls)
	}
}

// pipeline posts messages to one peer, with several goroutines.
type pipeline struct {
	picker *urlPicker
	client *http.Client
	msgc   chan string
	wg     sync.WaitGroup
}

func startPipeline(urls []url.URL, client *http.Client, workers int) *pipeline {
	p := &pipeline{picker: newURLPicker(urls), client: client, msgc: make(chan string, 64)}
	p.wg.Add(workers)
	for range workers {
		go p.handle()
	}
	return p
}

func (p *pipeline) stop() {
	close(p.msgc)
	p.wg.Wait()
}

func (p *pipeline) handle() {
	defer p.wg.Done()
	for m := range p.msgc {
		// raft sends a lost message again.
		_ = p.post(m)
	}
}

func (p *pipeline) post(msg string) error {
	u := p.picker.pick()
	uu := u
	uu.Path = "/raft"
	uu.RawQuery = url.Values{"m": {msg}}.Encode()
	resp, err := p.client.Get(uu.String())
	if err != nil {
		p.picker.unreachable(u)
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		p.picker.unreachable(u)
		return fmt.Errorf("unexpected http status %s", resp.Status)
	}
	return nil
}

// UpdatePeer is called when the membership changes.
func (p *pipeline) UpdatePeer(urls []url.URL) {
	if len(urls) > 0 {
		p.picker.update(urls)
	}
}
