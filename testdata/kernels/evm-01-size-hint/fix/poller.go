// Package fix polls targets and forwards what they expose.
package fix

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

var errLimit = errors.New("too many samples in a response")

type tag struct{ name, value string }

type record struct {
	tags  []tag
	value float64
}

// workBuf is what a worker needs to convert lines.
type workBuf struct {
	tags    []tag
	records []record
}

func (wb *workBuf) reset() {
	wb.tags = wb.tags[:0]
	wb.records = wb.records[:0]
}

func (wb *workBuf) addLines(lines []string, extra []tag) {
	for _, l := range lines {
		name, val, ok := strings.Cut(l, " ")
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(val, 64)
		if err != nil {
			continue
		}
		start := len(wb.tags)
		wb.tags = append(wb.tags, tag{"__name__", name})
		wb.tags = append(wb.tags, extra...)
		wb.records = append(wb.records, record{tags: wb.tags[start:len(wb.tags):len(wb.tags)], value: v})
	}
}

// levelPool hands out buffers by the expected number of tags.
type levelPool struct {
	pools [8]sync.Pool
}

func (p *levelPool) level(n int) int {
	i := 0
	for n > 64 && i < len(p.pools)-1 {
		n /= 4
		i++
	}
	return i
}

func (p *levelPool) get(n int) *workBuf {
	if v := p.pools[p.level(n)].Get(); v != nil {
		return v.(*workBuf)
	}
	return &workBuf{tags: make([]tag, 0, n)}
}

func (p *levelPool) put(wb *workBuf) {
	n := cap(wb.tags)
	wb.reset()
	p.pools[p.level(n)].Put(wb)
}

var bufs levelPool

// parseStream reads r and calls cb for batches of lines, from several goroutines.
func parseStream(r io.Reader, workers int, cb func(lines []string) error) error {
	ch := make(chan []string, workers)
	var wg sync.WaitGroup
	var errOnce sync.Once
	var firstErr error
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for lines := range ch {
				if err := cb(lines); err != nil {
					errOnce.Do(func() { firstErr = err })
				}
			}
		}()
	}
	sc := bufio.NewScanner(r)
	var batch []string
	for sc.Scan() {
		batch = append(batch, sc.Text())
		if len(batch) == 256 {
			ch <- batch
			batch = nil
		}
	}
	if len(batch) > 0 {
		ch <- batch
	}
	close(ch)
	wg.Wait()
	if firstErr != nil {
		return firstErr
	}
	return sc.Err()
}

// poller polls one target, from one goroutine.
type poller struct {
	url         string
	extra       []tag
	sampleLimit int
	push        func([]record)

	prevTags int
	polls    int
}

type pollStats struct {
	scraped, kept int
	up            bool
}

// consumeStream forwards a response while it is read.
func (p *poller) consumeStream(r io.Reader) pollStats {
	var scraped, kept, maxTags atomic.Int64
	maxTags.Store(int64(p.prevTags))

	err := parseStream(r, 4, func(lines []string) error {
		n := maxTags.Load()
		wb := bufs.get(int(n))
		defer bufs.put(wb)

		scraped.Add(int64(len(lines)))
		wb.addLines(lines, p.extra)
		total := kept.Add(int64(len(wb.records)))
		if p.sampleLimit > 0 && int(total) > p.sampleLimit {
			return errLimit
		}
		p.push(wb.records)
		for m := int64(len(wb.tags)); ; {
			n := maxTags.Load()
			if m <= n || maxTags.CompareAndSwap(n, m) {
				break
			}
		}
		return nil
	})

	p.prevTags = int(maxTags.Load())
	p.polls++
	return pollStats{scraped: int(scraped.Load()), kept: int(kept.Load()), up: err == nil}
}

// consume forwards a response that is in memory.
func (p *poller) consume(body string) pollStats {
	wb := bufs.get(p.prevTags)
	defer bufs.put(wb)
	lines := strings.Split(body, "\n")
	wb.addLines(lines, p.extra)
	if p.sampleLimit > 0 && len(wb.records) > p.sampleLimit {
		return pollStats{scraped: len(lines)}
	}
	p.push(wb.records)
	p.prevTags = len(wb.tags)
	p.polls++
	return pollStats{scraped: len(lines), kept: len(wb.records), up: true}
}
