package ignores_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), passes.Ignores, "comments", "file")
}
