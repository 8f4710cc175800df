module github.com/atomvet/atomvet

go 1.25.0
