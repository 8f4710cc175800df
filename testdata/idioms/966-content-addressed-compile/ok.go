// Package render turns configuration templates into the files that the
// sidecars on this host read.
package render

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"sync"
	"text/template"
)

// Job asks for one file.
type Job struct {
	Path   string
	Source string
	Data   map[string]any
}

// Result is a rendered file, or the reason why there is none.
type Result struct {
	Path string
	Body []byte
	Err  error
}

// Renderer is safe for concurrent use. The templates in use are those of the
// host's configuration, which are few, but each is rendered for many jobs.
type Renderer struct {
	funcs template.FuncMap
	// compiled maps the hash of a source to its *template.Template, which is
	// executed but never changed.
	compiled sync.Map
}

// New returns a renderer whose templates can call the given functions.
func New(funcs template.FuncMap) *Renderer {
	return &Renderer{funcs: maps.Clone(funcs)}
}

// Render carries out one job.
func (r *Renderer) Render(job Job) Result {
	res := Result{Path: job.Path}
	t, err := r.lookup(job.Source)
	if err != nil {
		res.Err = fmt.Errorf("render %s: %w", job.Path, err)
		return res
	}
	var buf bytes.Buffer
	if err := t.Execute(&buf, job.Data); err != nil {
		res.Err = fmt.Errorf("render %s: %w", job.Path, err)
		return res
	}
	res.Body = buf.Bytes()
	return res
}

func (r *Renderer) lookup(source string) (*template.Template, error) {
	key := sha256.Sum256([]byte(source))
	if v, ok := r.compiled.Load(key); ok {
		return v.(*template.Template), nil
	}
	t, err := template.New("").Funcs(r.funcs).Option("missingkey=error").Parse(source)
	if err != nil {
		return nil, err
	}
	r.compiled.Store(key, t)
	return t, nil
}

// RenderAll carries out the jobs with several workers and returns the results
// in the order of the jobs. Jobs that had not begun when ctx ended have its
// error.
func (r *Renderer) RenderAll(ctx context.Context, jobs []Job, workers int) []Result {
	results := make([]Result, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				if err := ctx.Err(); err != nil {
					results[i] = Result{Path: jobs[i].Path, Err: err}
					continue
				}
				results[i] = r.Render(jobs[i])
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}
